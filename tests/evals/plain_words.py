"""Words that are everybody's and not the example's: they keep their spelling when the example is renamed.

A planner may know them, since they mean the same in any schema. Everything else that occurs in a name or a value of the
example is the example's own, and no program that is to work elsewhere may know it.
"""

GRAMMAR = """
a about above after again ago all already also an and another any are as at be because been before being below between
but by can cannot come could couldn did didn do does doesn doing don each either else every everything few first for
from get give given go going got had has hasn have having he help her here hers him his how i if in into is isn it its
just know last late later least less let like ll long look made make many may me mine more most much must my neither
never next no nobody none nor not nothing now of off on once one ones only or other others our out over own per please
possible quite re right same say see shall she should show since so some somebody something still such t take tell than
thank thanks that the their them then there these they thing things this those through to too under until up upon us ve
very via want was we were what when where whether which while who whom whose why will with within without won would yes
yet you your s use used using uses work works hello hi ask worth sit sits based located stuck cause caused
""".split()

TIME_AND_MEASURE = """
time times today tomorrow yesterday day days week weeks month months year years hour hours minute minutes second seconds
january february march april june july august september october november december monday tuesday wednesday thursday friday
saturday sunday deadline due overdue past ago
kg kilogram g gram mg t km m cm mm l eur usd euro euros percent million thousand billion
two three four five six seven eight nine ten hundred half
""".split()

COMPARISON = """
average mean median sum total totals count counts minimum maximum min max avg top bottom highest lowest largest smallest
biggest longest shortest heaviest lightest newest oldest latest earliest greatest greater bigger smaller larger higher
lower longer shorter heavier lighter newer older fewer equal equals exactly different number numbers amount quantity
weigh weighs expensive cheap cheapest value values
""".split()

SCHEMA = """
id ids name names title label code codes kind type types status state date list lists key index note remark reason
description email unit field fields row rows record records item items page info size data information schema query
mutation mutations manager managers filter filters search tool tools create created update updated delete deleted
change changed add set remove comment history true false null none boolean integer string float decimal text iso
contains contain containing exact range measurement icontains startswith endswith gte lte isnull
""".split()

# What an answer says when it cannot: a judge looks for these.
REFUSAL = """
understand hold offer able unable allowed permission denied access available answer question found find sorry nothing
signed sign person
""".split()

PLAIN = frozenset([*GRAMMAR, *TIME_AND_MEASURE, *COMPARISON, *SCHEMA, *REFUSAL])
