"""The words that names are made of. All invented; a likeness to a real company is an accident."""

SUPPLIERS = [
    "Umbra", "Norvik", "Halden", "Castellane", "Brightwater", "Tarn", "Ostrava", "Velden", "Kirkwall", "Marlowe",
    "Sorrento", "Lindqvist", "Ardent", "Beaumont", "Cirrus", "Drammen", "Elster", "Fairlight", "Gravenor", "Hollis",
    "Isar", "Jura", "Kestenbaum", "Lofoten", "Mirador", "Nadir", "Orsova", "Pallas", "Quillan", "Ravensberg",
    "Savona", "Thessaly", "Ulverton", "Varda", "Wexford", "Yarrow", "Zillertal", "Alcazar", "Bexhill", "Corran",
]  # fmt: skip
TRADES = [
    "Precision", "Castings", "Magnetics", "Composites", "Fasteners", "Avionics", "Hydraulics", "Forgings", "Optics",
    "Thermal Systems",
]  # fmt: skip
CUSTOMERS = [
    "Lumen Space Institute", "Northern Weather Service", "Aquila Telecom", "Iberian Orbital Agency", "Helios Research",
    "Baltic Earth Observatory", "Skyreach Broadband", "Meteora Science Foundation", "Harbour Defence Systems",
    "Coastwatch Authority", "Terranova Mapping", "Polar Climate Centre", "Vantage Imaging", "Concord Satellite Radio",
    "Alpine University", "Danube Navigation", "Redwood Sensing", "Pacific Relay", "Crown Signals", "Bluefield Launch",
    "Stellaris Networks", "Highland Astronomy Trust", "Delta Ground Stations", "Morrow Aerospace", "Sunda Telecom",
    "Civic Emergency Network", "Oresund Technology", "Tagus Marine Institute", "Kanto Robotics", "Hanseatic Logistics",
    "Everglade Agriculture", "Frontier Broadcasting", "Galilee Optics", "Juno Deep Space", "Keystone Surveillance",
    "Loire Planetarium", "Maple Remote Sensing", "Nimbus Forecasting", "Orchard Analytics", "Piedmont Observatory",
]  # fmt: skip
FIRST_NAMES = [
    "Agnes", "Bruno", "Celia", "Dario", "Elin", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Katya", "Leon", "Mira",
    "Nils", "Olga", "Pavel", "Rosa", "Stefan", "Tilda", "Viktor",
]  # fmt: skip
LAST_NAMES = [
    "Abel", "Brandt", "Costa", "Dahl", "Eriksen", "Fontaine", "Gruber", "Haas", "Ivanov", "Jansen", "Keller", "Lund",
    "Moreau", "Novak", "Olsen", "Petit", "Rossi", "Silva", "Takeda", "Weiss",
]  # fmt: skip
PLACES = ["Forward", "Aft", "Upper", "Lower", "Inner", "Outer", "Port", "Starboard", "Main", "Auxiliary"]
THINGS = {
    "structure": ["Bracket", "Strut", "Panel", "Frame", "Rib", "Hinge", "Flange", "Spacer"],
    "propulsion": ["Injector", "Feed Line", "Check Valve", "Regulator", "Manifold", "Filter"],
    "electronics": ["Controller Board", "Harness", "Connector", "Sensor", "Antenna", "Power Module"],
    "thermal": ["Heat Pipe", "Radiator", "Insulation Blanket", "Heater", "Thermal Strap"],
    "fastener": ["Bolt Set", "Rivet Kit", "Washer Kit", "Insert", "Clamp"],
}
CARRIERS = ["Swiftline", "Nordfreight", "Blue Comet Cargo", "Transalpina"]
FINDINGS = {
    "failed": [
        "Crack at the weld seam", "Surface corrosion", "Dimension out of tolerance", "Delamination", "Wrong hardness",
    ],
    "conditional": ["Certificate missing", "Scratched coating", "Packaging damaged", "Label unreadable"],
}  # fmt: skip
JOBS = {
    "engineering": ["Design Engineer", "Systems Engineer", "Stress Analyst", "Propulsion Engineer"],
    "production": ["Machinist", "Assembly Technician", "Welder", "Shift Supervisor"],
    "quality": ["Quality Inspector", "Quality Engineer"],
    "purchasing": ["Buyer", "Purchasing Manager"],
    "logistics": ["Warehouse Clerk", "Logistics Planner"],
}
