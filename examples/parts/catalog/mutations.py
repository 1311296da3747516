"""What people do, beyond creating, changing and deleting a row."""

from typing import ClassVar

from django.core.exceptions import ValidationError
from general_manager.api.mutation import graph_ql_mutation
from general_manager.permission.mutation_permission import MutationPermission
from graphql import GraphQLResolveInfo

from catalog.managers.operations import Order
from catalog.managers.people import Employee
from catalog.managers.projects import Assignment, Project


class OwnerMayChangeProject(MutationPermission):
    __mutate__: ClassVar[list[str]] = ["projectOwner:project", "isAdmin"]


class BuyerMayDecideOrder(MutationPermission):
    __mutate__: ClassVar[list[str]] = ["inGroup:buyers", "isAdmin"]


@graph_ql_mutation(permission=OwnerMayChangeProject)
def archive_project(info: GraphQLResolveInfo, project: Project) -> Project:
    """Archive a project that is finished or given up. Only its owner and staff may do that."""
    if project.status == "archived":
        raise ValidationError({"project": "This project is archived already."})
    return project.update(status="archived", creator_id=info.context.user.pk)


@graph_ql_mutation(permission=OwnerMayChangeProject)
def assign_employee(
    info: GraphQLResolveInfo, project: Project, employee: Employee, role: str, hours_per_week: int
) -> Assignment:
    """Put an employee on a project, in a role (lead, engineer, technician, quality or planner) and for hours a week."""
    return Assignment.create(
        project=project,
        employee=employee,
        role=role,
        hours_per_week=hours_per_week,
        creator_id=info.context.user.pk,
        # The permission above has decided; the generated rights on assignments are the administrators'.
        ignore_permission=True,
    )


@graph_ql_mutation(permission=BuyerMayDecideOrder)
def approve_order(info: GraphQLResolveInfo, order: Order) -> Order:
    """Approve a submitted order, so that the supplier may ship it. For buyers."""
    if order.status != "submitted":
        raise ValidationError({"order": f"Only a submitted order can be approved; this one is {order.status}."})
    return order.update(status="approved", creator_id=info.context.user.pk, ignore_permission=True)


@graph_ql_mutation(permission=BuyerMayDecideOrder)
def cancel_order(info: GraphQLResolveInfo, order: Order, reason: str) -> Order:
    """Cancel an order that has not been received, and say why. For buyers."""
    if order.status in ("received", "cancelled"):
        raise ValidationError({"order": f"This order is {order.status} and cannot be cancelled."})
    return order.update(status="cancelled", remark=reason, creator_id=info.context.user.pk, ignore_permission=True)
