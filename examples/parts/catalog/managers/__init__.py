"""The managers of the example. GeneralManager finds them here by the module's name."""

from catalog import mutations, permissions
from catalog.managers.operations import Delivery, Inspection, Machine, Maintenance, Order, OrderLine
from catalog.managers.people import Employee
from catalog.managers.projects import Assignment, BillOfMaterial, Customer, Project, ProjectSummary
from catalog.managers.reference import Country, ExchangeRate, Material, Site
from catalog.managers.supply import Certificate, Part, Supplier, SupplierContract

__all__ = [
    "Assignment",
    "BillOfMaterial",
    "Certificate",
    "Country",
    "Customer",
    "Delivery",
    "Employee",
    "ExchangeRate",
    "Inspection",
    "Machine",
    "Maintenance",
    "Material",
    "Order",
    "OrderLine",
    "Part",
    "Project",
    "ProjectSummary",
    "Site",
    "Supplier",
    "SupplierContract",
    "mutations",
    "permissions",
]
