"""The rows that people know by name, written out one by one; the rest of the company is drawn around them."""

# name, category, density in kg/m3, hazardous, critical
MATERIALS = [
    ("Cobalt", "metal", 8900, True, True),
    ("Titanium Grade 2", "metal", 4510, False, True),
    ("Titanium Grade 5", "alloy", 4430, False, True),
    ("Aluminium 6061", "alloy", 2700, False, False),
    ("Aluminium 7075", "alloy", 2810, False, False),
    ("Aluminium-Lithium 2195", "alloy", 2710, False, True),
    ("Stainless Steel 316L", "alloy", 8000, False, False),
    ("Maraging Steel 300", "alloy", 8100, False, False),
    ("Inconel 625", "alloy", 8440, False, False),
    ("Inconel 718", "alloy", 8190, False, False),
    ("Invar 36", "alloy", 8050, False, False),
    ("Copper C101", "metal", 8940, False, False),
    ("Beryllium", "metal", 1850, True, True),
    ("Beryllium Copper", "alloy", 8250, True, True),
    ("Tungsten", "metal", 19300, False, True),
    ("Molybdenum", "metal", 10280, False, False),
    ("Niobium C103", "alloy", 8850, False, True),
    ("Tantalum", "metal", 16650, False, True),
    ("Magnesium AZ31", "alloy", 1770, True, True),
    ("Silver", "metal", 10490, False, False),
    ("Gold", "metal", 19320, False, False),
    ("Nickel 200", "metal", 8890, False, False),
    ("Carbon Fibre M55J", "composite", 1910, False, False),
    ("Aramid Fibre K49", "composite", 1440, False, False),
    ("Glass Fibre E", "composite", 2540, False, False),
    ("PEEK", "polymer", 1320, False, False),
    ("PTFE", "polymer", 2200, False, False),
    ("Polyimide Film", "polymer", 1420, False, False),
    ("Epoxy EP-40", "polymer", 1180, True, False),
    ("Silicone RTV", "polymer", 1100, False, False),
    ("Nylon 12", "polymer", 1010, False, False),
    ("Silicon Carbide", "ceramic", 3210, False, False),
    ("Alumina", "ceramic", 3950, False, False),
    ("Zirconia", "ceramic", 5680, False, False),
    ("Boron Nitride", "ceramic", 2100, False, False),
]

# name, city, country, kind, opened
SITES = [
    ("Graz Plant", "Graz", "AT", "plant", "1998-04-01"),
    ("Turku Plant", "Turku", "FI", "plant", "2011-09-12"),
    ("Bilbao Plant", "Bilbao", "ES", "plant", "2016-02-22"),
    ("Toulouse Laboratory", "Toulouse", "FR", "laboratory", "2004-06-15"),
    ("Delft Laboratory", "Delft", "NL", "laboratory", "2013-10-07"),
    ("Malmo Warehouse", "Malmo", "SE", "warehouse", "2009-03-30"),
    ("Trieste Warehouse", "Trieste", "IT", "warehouse", "2018-11-05"),
    ("Vienna Office", "Vienna", "AT", "office", "1995-01-16"),
]

# login, name, job title, department, site, staff, buyer
PEOPLE = [
    ("ada", "Ada Lindgren", "Systems Engineer", "engineering", "Graz Plant", False, False),
    ("ben", "Ben Okafor", "Assembly Technician", "production", "Turku Plant", False, False),
    ("carla", "Carla Montoya", "Purchasing Manager", "purchasing", "Vienna Office", True, True),
    ("dora", "Dora Whitfield", "Programme Director", "engineering", "Vienna Office", False, False),
]

# name, status, owner's login or None, confidential, budget in thousand EUR, deadline in days from now
PROJECTS = [
    ("Apollo", "active", "ada", False, 8400, 210),
    ("Gemini", "active", "ada", True, 5200, 95),
    ("Mercury", "active", None, False, 1250, -34),
    ("Nightjar", "active", "dora", True, 12750, 320),
    ("Sable", "planned", "ben", True, 640, 400),
    ("Tempest", "on_hold", "dora", True, 3900, 150),
    ("Larkspur", "planned", "carla", True, 980, 365),
    ("Halcyon", "active", "ada", False, 2150, -12),
    ("Kestrel", "active", None, False, 1475, -3),
    ("Osprey", "completed", None, False, 3320, -140),
    ("Peregrine", "completed", None, False, 2890, -255),
    ("Merlin", "archived", None, False, 760, -410),
    ("Corvus", "active", None, False, 4480, 61),
    ("Lyra", "planned", None, False, 530, 480),
    ("Vega", "active", "dora", False, 9900, 505),
    ("Altair", "on_hold", None, False, 2040, 75),
    ("Rigel", "active", None, False, 1890, 33),
    ("Antares", "planned", None, False, 7150, 700),
    ("Capella", "completed", None, False, 1120, -62),
    ("Deneb", "active", None, False, 2675, 118),
    ("Mistral", "active", "ben", False, 1340, 27),
    ("Sirocco", "on_hold", None, False, 890, 240),
    ("Zephyr", "active", None, False, 6020, 180),
    ("Bora", "archived", None, False, 410, -530),
    ("Aurora", "active", "ada", False, 3765, 142),
    ("Borealis", "planned", None, False, 2980, 620),
    ("Polaris", "active", None, False, 4125, 88),
    ("Meridian", "completed", None, False, 1985, -20),
    ("Horizon", "active", None, False, 2245, 256),
    ("Pathfinder", "planned", None, False, 1610, 330),
    ("Sentinel", "active", "dora", False, 7890, 45),
    ("Wayfarer", "archived", None, False, 695, -300),
    ("Endurance", "active", None, False, 5540, 410),
    ("Resolute", "on_hold", None, False, 1730, 131),
    ("Cascade", "active", None, False, 2390, 19),
    ("Juniper", "planned", None, False, 815, 275),
    ("Tamarack", "active", None, False, 1555, 162),
    ("Cormorant", "completed", None, False, 2710, -95),
    ("Albatross", "active", None, False, 3485, 224),
    ("Fulmar", "planned", None, False, 1205, 540),
    ("Petrel", "active", None, False, 1820, 51),
    ("Skua", "archived", None, False, 575, -365),
    ("Gannet", "active", None, False, 2560, 199),
    ("Shearwater", "completed", None, False, 3050, -180),
]

# project -> (login, role, hours a week)
MEMBERS = {
    "Apollo": [("ada", "lead", 20), ("ben", "technician", 12), ("carla", "planner", 4)],
    "Gemini": [("ada", "lead", 12), ("carla", "planner", 6)],
    "Nightjar": [("dora", "lead", 10)],
    "Sable": [("ben", "lead", 8)],
    "Tempest": [("dora", "lead", 6), ("ada", "engineer", 4)],
    "Larkspur": [("carla", "lead", 8)],
    "Mercury": [("ben", "technician", 16)],
}

# name, category, material, supplier, mass in kg, unit cost in EUR, lead time in days, flight critical, status
PARTS = [
    ("Hall Thruster Magnet", "propulsion", "Cobalt", "Halden Magnetics", "1.85", "4200", 84, True, "released"),
    ("Reaction Wheel Rotor Magnet", "electronics", "Cobalt", "Halden Magnetics", "0.62", "1850", 70, True, "released"),
    ("Turbopump Bearing Sleeve", "propulsion", "Cobalt", "Norvik Castings", "2.4", "3975", 112, True, "released"),
    ("Gyro Torquer Magnet", "electronics", "Cobalt", "Halden Magnetics", "0.18", "960", 56, True, "released"),
    ("Star Tracker Shim", "structure", "Cobalt", "Umbra Precision", "0.04", "310", 28, False, "prototype"),
    ("Main Tank Dome", "structure", "Aluminium-Lithium 2195", "Ravensberg Forgings", "412.5", "86500", 240, True,
     "released"),
    ("Payload Adapter Ring", "structure", "Carbon Fibre M55J", "Drammen Composites", "268", "54200", 180, True,
     "released"),
    ("Thrust Frame", "structure", "Titanium Grade 5", "Ravensberg Forgings", "231.4", "61800", 210, True, "released"),
    ("Apogee Nozzle Extension", "propulsion", "Niobium C103", "Norvik Castings", "176", "73900", 196, True, "blocked"),
    ("Deployable Mast", "structure", "Carbon Fibre M55J", "Drammen Composites", "158.2", "39400", 150, False,
     "released"),
    ("Ion Grid Assembly", "propulsion", "Molybdenum", "Umbra Precision", "3.1", "18700", 126, True, "blocked"),
    ("Telemetry Transponder", "electronics", "Aluminium 6061", "Cirrus Avionics", "4.75", "27300", 98, True,
     "released"),
    ("Sun Sensor Window", "electronics", "Alumina", "Mirador Optics", "0.09", "740", 42, False, "blocked"),
    ("Cryogenic Seal Ring", "propulsion", "PTFE", "Velden Hydraulics", "0.3", "145", 21, True, "phased_out"),
    ("Louvre Actuator", "thermal", "Stainless Steel 316L", "Velden Hydraulics", "1.2", "2280", 63, False, "blocked"),
]  # fmt: skip

# project -> part -> quantity; no other project uses a cobalt part
LINES = {
    "Apollo": {
        "Hall Thruster Magnet": 8, "Reaction Wheel Rotor Magnet": 4, "Main Tank Dome": 2, "Thrust Frame": 1,
        "Telemetry Transponder": 2, "Cryogenic Seal Ring": 24,
    },
    "Gemini": {"Turbopump Bearing Sleeve": 6, "Payload Adapter Ring": 1, "Telemetry Transponder": 1},
    "Nightjar": {"Gyro Torquer Magnet": 12, "Hall Thruster Magnet": 2, "Ion Grid Assembly": 4},
    "Mercury": {"Deployable Mast": 2, "Sun Sensor Window": 6, "Telemetry Transponder": 1},
    "Halcyon": {"Louvre Actuator": 10, "Ion Grid Assembly": 2, "Payload Adapter Ring": 1},
    "Vega": {"Main Tank Dome": 4, "Apogee Nozzle Extension": 2, "Thrust Frame": 2},
}  # fmt: skip

# name -> country; the others are drawn
SUPPLIERS = {
    "Umbra Precision": "IT",
    "Norvik Castings": "NO",
    "Halden Magnetics": "NO",
    "Ravensberg Forgings": "DE",
    "Drammen Composites": "NO",
    "Cirrus Avionics": "GB",
    "Mirador Optics": "ES",
    "Velden Hydraulics": "AT",
}
