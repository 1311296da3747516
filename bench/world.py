"""Write a GeneralManager project with any number of managers: a plant whose areas look like those of a real one."""

from pathlib import Path

KINDS = ("Material", "Supplier", "Part", "Customer", "Project", "BillOfMaterial", "Delivery", "Inspection")
AREAS = (
    "", "Casting", "Forging", "Milling", "Coating", "Wiring", "Paint", "Rotor", "Cabin", "Chassis", "Turbine", "Pump", "Valve",
    "Tooling", "Packing", "Sensor", "Battery", "Cooling", "Exhaust", "Lighting", "Glazing", "Seating", "Braking", "Steering",
    "Plumbing", "Welding",
)  # fmt: skip
METALS = ("Cobalt", "Tin", "Nickel", "Copper", "Chromium", "Titanium", "Zinc", "Lead", "Tungsten", "Silver")
PROJECTS = ("Apollo", "Gemini", "Mercury", "Vostok", "Skylab", "Ariane", "Hermes", "Galileo", "Huygens", "Rosetta")

SETTINGS = """
from pathlib import Path
BASE_DIR = Path(__file__).resolve().parent
SECRET_KEY = "bench"
DEBUG = False
ALLOWED_HOSTS = ["*"]
INSTALLED_APPS = [
    "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "channels", "graphene_django",
    "general_manager", "plant", {dragoman}
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
]
ROOT_URLCONF = "urls"
DATABASES = {{"default": {{
    "ENGINE": "django.db.backends.sqlite3", "NAME": str(BASE_DIR / "bench.sqlite3"),
    "OPTIONS": {{"timeout": 60, "transaction_mode": "IMMEDIATE", "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"}},
}}}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
STATIC_URL = "static/"
LOGGING_CONFIG = None
CHANNEL_LAYERS = {{"default": {{"BACKEND": "channels.layers.InMemoryChannelLayer"}}}}
GENERAL_MANAGER = {{"AUTOCREATE_GRAPHQL": True, "GRAPHQL_URL": "graphql/"}}
DRAGOMAN = {{"default": {{
    "enabled": True,
    "provider": "scripted",
    "grounding": {{"kind": "graphql", "host": "general_manager"}},
    "allowed_mutations": ["createPart", "updateProject", "deleteDelivery"],
    "confirm_mutations": ["deleteDelivery"],
    # The limits of a project that sets none, for a million people in one.
    "rate_limit": {{
        "max_requests_per_hour": 60 * 10**6, "max_tokens_per_hour": 10**11, "max_concurrent_turns": 10**7,
    }},
}}}}
"""

# GeneralManager's own chat in the place of ours.
UPSTREAM = """
ROOT_URLCONF = "urls_without"
GENERAL_MANAGER["CHAT"] = {
    "enabled": True,
    "url": "/chat/",
    "provider": "bench.upstream.Reader",
    "rate_limit": {"requests": None, "tokens": None, "input_tokens": None, "output_tokens": None},
}
"""

URLS = """
from django.urls import include, path
urlpatterns = [{include}]
"""

HEAD = '''"""The managers of a generated plant."""

from django.db import models
from general_manager.interface import DatabaseInterface
from general_manager.manager import GeneralManager
from general_manager.measurement import MeasurementField
from general_manager.permission import AdditiveManagerPermission


class Open(AdditiveManagerPermission):
    __read__ = ["public"]
    __create__ = ["isAuthenticated"]
    __update__ = ["isAuthenticated"]
    __delete__ = ["isAuthenticated"]

'''

# `A` stands for the area, `P` for the area whose customers it serves; the first area has neither.
BODIES = {
    "Material": '''class {A}Material(GeneralManager):
    """A raw material{of} is made of: a metal, an alloy, a polymer."""

    chat_exposed = True
    chat_search_fields = ("name",)

    class Interface(DatabaseInterface):
        name = models.CharField(max_length=80, unique=True)
        category = models.CharField(max_length=20, choices=[("metal", "metal"), ("polymer", "polymer")])
        density = MeasurementField(base_unit="kg/m**3")
        is_hazardous = models.BooleanField(default=False, help_text="Needs protective equipment.")

    class Permission(Open):
        pass
''',
    "Supplier": '''class {A}Supplier(GeneralManager):
    """A company that sells us parts{of}. Rated once a year from one to five."""

    chat_exposed = True
    chat_search_fields = ("name",)

    class Interface(DatabaseInterface):
        name = models.CharField(max_length=100, unique=True)
        city = models.CharField(max_length=60)
        rating = models.PositiveSmallIntegerField()
        is_approved = models.BooleanField(default=False)
        supplier_since = models.DateField()

    class Permission(Open):
        pass
''',
    "Part": '''class {A}Part(GeneralManager):
    """Something that is built into a product{of}: a bracket, a valve, a board."""

    chat_exposed = True
    chat_search_fields = ("name", "part_number")

    class Interface(DatabaseInterface):
        name = models.CharField(max_length=100, unique=True)
        part_number = models.CharField(max_length=20)
        status = models.CharField(max_length=20, choices=[("released", "released"), ("blocked", "blocked")])
        material = models.ForeignKey("plant.{A}Material", on_delete=models.PROTECT)
        supplier = models.ForeignKey("plant.{A}Supplier", on_delete=models.PROTECT)
        mass = MeasurementField(base_unit="kg")
        unit_cost = MeasurementField(base_unit="EUR")
        lead_time_days = models.PositiveIntegerField()

    class Permission(Open):
        pass
''',
    "Customer": '''class {A}Customer(GeneralManager):
    """An organisation that orders products{of} from us."""

    chat_exposed = True
    chat_search_fields = ("name",)

    class Interface(DatabaseInterface):
        name = models.CharField(max_length=100, unique=True)
        sector = models.CharField(max_length=20, choices=[("civil", "civil"), ("research", "research")])
        customer_since = models.DateField()

    class Permission(Open):
        pass
''',
    "Project": '''class {A}Project(GeneralManager):
    """A product{of} we develop and build for a customer, with its budget and deadline."""

    chat_exposed = True
    chat_search_fields = ("name", "code")

    class Interface(DatabaseInterface):
        name = models.CharField(max_length=80, unique=True)
        code = models.CharField(max_length=12)
        customer = models.ForeignKey("plant.{P}Customer", on_delete=models.PROTECT)
        status = models.CharField(max_length=20, choices=[("active", "active"), ("archived", "archived")])
        budget = MeasurementField(base_unit="EUR")
        deadline = models.DateField()

    class Permission(Open):
        pass
''',
    "BillOfMaterial": '''class {A}BillOfMaterial(GeneralManager):
    """A line of the bill of materials of a project{of}: which part, and how many of it."""

    chat_exposed = True

    class Interface(DatabaseInterface):
        project = models.ForeignKey("plant.{A}Project", on_delete=models.CASCADE)
        part = models.ForeignKey("plant.{A}Part", on_delete=models.PROTECT)
        quantity = models.PositiveIntegerField()

    class Permission(Open):
        pass
''',
    "Delivery": '''class {A}Delivery(GeneralManager):
    """Goods{of} that arrived or are awaited from a supplier."""

    chat_exposed = True

    class Interface(DatabaseInterface):
        supplier = models.ForeignKey("plant.{A}Supplier", on_delete=models.PROTECT)
        part = models.ForeignKey("plant.{A}Part", on_delete=models.PROTECT)
        quantity = models.PositiveIntegerField()
        due_on = models.DateField()
        arrived_on = models.DateField(null=True, blank=True)

    class Permission(Open):
        pass
''',
    "Inspection": '''class {A}Inspection(GeneralManager):
    """A check of a delivery{of}: whether it passed, and what was found."""

    chat_exposed = True

    class Interface(DatabaseInterface):
        delivery = models.ForeignKey("plant.{A}Delivery", on_delete=models.CASCADE)
        inspected_on = models.DateField()
        passed = models.BooleanField(default=True)
        finding = models.TextField(blank=True)

    class Permission(Open):
        pass
''',
}


def write(directory: Path, managers: int) -> None:
    """The project's files: settings with, without and with the other assistant, routes, the managers of one app."""
    app = directory / "plant"
    app.mkdir(parents=True, exist_ok=True)
    (directory / "with_chat.py").write_text(SETTINGS.format(dragoman='"dragoman.django"'))
    (directory / "without_chat.py").write_text(SETTINGS.format(dragoman="") + '\nROOT_URLCONF = "urls_without"\n')
    (directory / "with_upstream.py").write_text(SETTINGS.format(dragoman="") + UPSTREAM)
    (directory / "urls.py").write_text(URLS.format(include='path("", include("dragoman.django.urls"))'))
    (directory / "urls_without.py").write_text(URLS.format(include=""))
    (app / "__init__.py").write_text("")
    (app / "managers.py").write_text(source(managers))
    (app / "models.py").write_text("from plant import managers as managers\n")


def source(managers: int) -> str:
    """The text of the managers: eight an area, each area's projects for the customers of the area before it."""
    texts = [HEAD]
    for number in range(managers):
        area = AREAS[number // len(KINDS)]
        # The first area's customers are everybody's, so that all areas hang together as in one company.
        before = AREAS[max(0, number // len(KINDS) - 1)]
        kind = KINDS[number % len(KINDS)]
        home = before if kind == "Project" and area else area
        texts.append(BODIES[kind].format(A=area, P=home, of=f" of the {area.lower()} area" if area else ""))
    return "\n\n".join(texts)


def seed() -> None:
    """A few hundred rows in the first area: ten materials and projects, a hundred parts, their lines."""
    from plant import managers as plant  # noqa: PLC0415  # exists only once the project is written

    def create(kind: type, **values: object) -> object:
        return kind.create(ignore_permission=True, **values)  # type: ignore[attr-defined]

    materials = [
        create(plant.Material, name=name, category="metal", density="8000 kg/m**3", is_hazardous=n % 3 == 0)
        for n, name in enumerate(METALS)
    ]
    suppliers = [
        create(plant.Supplier, name=f"Supplier {n}", city="Trieste", rating=n % 5 + 1, supplier_since="2015-04-01")
        for n in range(10)
    ]
    customers = [
        create(plant.Customer, name=f"Customer {n}", sector="civil", customer_since="2012-01-01") for n in range(5)
    ]
    parts = [
        create(
            plant.Part,
            name=f"Bracket {n}",
            part_number=f"B-{n:04}",
            status="released",
            material=materials[n % 10],
            supplier=suppliers[n % 7],
            mass=f"{n + 1} kg",
            unit_cost=f"{n * 3 + 5} EUR",
            lead_time_days=n % 40,
        )
        for n in range(100)
    ]
    for n, name in enumerate(PROJECTS):
        project = create(
            plant.Project,
            name=name,
            code=f"P-{n}",
            customer=customers[n % 5],
            status="active",
            budget=f"{n * 100_000} EUR",
            deadline="2027-05-01",
        )
        for line in range(20):
            create(plant.BillOfMaterial, project=project, part=parts[(n * 20 + line) % 100], quantity=line + 1)
