"""Rules: the ways people ask a repository; the first that fits counts, so what is narrow stands before what is wide.

`s` is what the question is about, `of` what is counted or grouped by.
"""

import re

_KIND = (
    r"(?:functions?|methods?|classes|class|modules?|files?|places?|code|tests?|symbols?|callers?|components?|lines?)"
)
_CALL = r"(?:calls?|calling|uses?|using|invokes?|references?|depends? on|relies on|rely on|instantiates?|constructs?|imports?)"
_CALLED = r"(?:called|used|invoked|referenced|instantiated|constructed|needed)"
_CHANGE = r"(?:changed?|modified|modify|touch(?:ed)?|edit(?:ed)?|updated?|rewritten|altered|worked on)"
_PEOPLE = r"(?:authors?|contributors?|committers?|developers?|people|maintainers?|persons?)"
_NAME = r"(?P<author>(?-i:[A-Z])[\w.'-]*(?: (?-i:[A-Z])[\w.'-]*)*)"
_TIME = r"(?:month|week|year|day|author|contributor|committer|person|developer)s?"
_DEFINE = r"(?:defined|declared|implemented|located|written|found|handled|computed|calculated|made|done|set|created|built|stored|kept|checked|parsed|read|loaded)"
_LATELY = r"(?:lately|recently|of late|these days|just now|last|most recently|so far|here|new)"

_RULE_TEXTS: tuple[tuple[str, str], ...] = (
    ("abilities", r"^(?:help|what can (?:you|i) (?:do|ask)|who are you|what are you|how do you work|what do you do)(?: me)?$"),
    ("why", r"^(?:why|how come)\b(?: (?:is|are|was|were|does|do|did|has|have))?(?: (?:there|we|you))?\s*(?P<s>.+?)?(?: (?:needed|there|so|like (?:this|that)|the way it is|exist|written|added|introduced|changed|removed|made|here|necessary|have).*)?$"),
    ("why", r"\b(?:reasons?|rationale|motivation|justification)\b.*?\b(?:for|behind|of|why)\b\s*(?P<s>.+)$"),
    # figures
    ("folders", r"\b(?:busiest|hottest|most (?:often |frequently |heavily )?(?:changed|edited|modified|touched|active|updated))\s+(?:folders?|directories|packages?|areas?)\b(?:\s+(?:in|under|of|inside)\s+(?P<s>.+))?$"),
    ("folders", r"\b(?:folders?|directories|packages?|areas?)\b.*\b(?:chang\w+|edited|modified|touched|updated|commits|changes|edits|active|busy)\s+(?:the )?most(?: often| frequently)?$|^(?:which|what) (?:folders?|director(?:y|ies)|packages?|areas?)\b.*\b(?:the )?most (?:commits|changes|edits|activity)$"),
    ("fullest", r"^(?:which|what)(?: source)? (?:files?|modules?)\b.*\b(?:the )?most (?P<of>functions|methods|classes|symbols|tests)$"),
    ("fullest", r"^(?:the )?files? with (?:the )?most (?P<of>functions|methods|classes|symbols|tests)$"),
    ("together", r"^(?:which|what)(?: other)? (?:files? )?(?:is |are |was |were |gets? )?(?:often |usually |mostly )?chang\w+ (?:together|along|most often together) with (?P<s>.+)$"),
    ("first_about", r"\b(?:first|oldest|earliest) (?:commit|change)s? (?:about|on|for|regarding|concerning|that (?:mentions?|mentioned|speaks? of)|mentioning) (?P<s>.+)$"),
    ("together", r"^(?:which|what)(?: other| else)?(?: files?)? (?:often |usually |mostly )?(?:change|changes|changed|move|go) (?:when|if|whenever) (?P<s>.+?) (?:does|do|changes?|is changed|did)$"),
    # tests, heirs, errors, imports
    ("tested", r"^(?:which|what|are there|is there|do we have|have we|show|list|find)?(?: me)?(?: any| all| a| the| some| unit)* ?tests?(?: (?:that|which|do we have|are there|exist|is there))* (?:covers?|exercises?|tests?|calls?|uses?|checks?|touch(?:es)?|hits?|runs?|for|of|covering|testing|against) (?P<s>.+)$"),
    ("tested", r"^(?:is|are|how well is|how is|where is|by which tests is|by what is) (?P<s>.+?) (?:well |properly |fully )?(?:tested|covered)(?: by (?:a |any |some |which )?tests?)?(?: anywhere| at all)?$"),
    ("tested", r"^does (?P<s>.+?) have (?:a |any |some )?(?:unit )?tests?$"),
    ("tested", r"^what tests (?P<s>\S+)$"),
    ("heirs", r"^(?:which|what|who|list|show|find)(?: me)?(?: all| the)*(?: (?:classes|class|types?|interfaces?))?(?: (?:that|which))? ?(?:inherits?(?: from)?|extends?|derives? from|subclass(?:es)?|(?:is|are) derived from|(?:is|are) based on|(?:is|are) (?:a )?subclass(?:es)? of|subclass(?:es)? of) (?P<s>\S+)$"),
    ("heirs", r"^(?:the )?(?:subclass(?:es)?|child classes|descendants|heirs|derived classes) of (?P<s>\S+)$"),
    ("heirs", r"^what are (?:the |all )?(?:subclass(?:es)?|child classes|descendants|derived classes) of (?P<s>\S+)$"),
    ("heirs", r"^(?:which|what) classes implement (?P<s>(?-i:[A-Z])\w*)$"),
    ("raised", r"^(?:from )?where (?:is|are|do we|does it) (?:a |an |the )?(?P<s>[\w.]+?)(?: errors?| exceptions?)? (?:ever |get |being )?(?:raised|thrown)$"),
    ("raised", r"^(?:who|what|which " + _KIND + r")(?: can| may| could)? (?:raises?|throws?) (?:a |an |the )?(?P<s>[\w.]+)$"),
    ("raised", r"^where (?:do|does) (?:we|it|the code) (?:raise|throw) (?:a |an |the )?(?P<s>[\w.]+)$"),
    ("importers", r"^(?:who|what|which (?:files?|modules?|packages?|code|places?)) imports? (?P<s>[\w./@-]+)$"),
    ("importers", r"^where (?:is|do we import|are) (?P<s>[\w./@-]+)(?: imported)$"),
    ("text", r"^where (?:is|are) (?P<s>(?-i:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)) (?:read|used|set|looked up|checked|referenced|mentioned)(?: from)?$"),
    ("per", r"\b(?P<what>commits?|changes|activity|churn|velocity|lines)\b.*?\b(?:per|by|each|every|a)\s+(?P<of>" + _TIME + r")\b"),
    ("per", r"^(?:how (?:many|often)|number of).*\bcommits?\b.*\b(?:per|each|every|a)\s+(?P<of>" + _TIME + r")\b"),
    ("per", r"\b(?P<of>monthly|weekly|daily|yearly)\s+(?:commits?|changes|activity|churn)\b"),
    ("per", r"\b(?:commits?|changes|activity|velocity)\b.*\b(?P<of>monthly|weekly|daily|yearly)\b"),
    ("per", r"\b(?:commits?|commit activity|activity|velocity|commit history)\s+over (?:time|the (?:months|years|weeks))\b"),
    ("busiest", r"\b(?:hot ?spots?|churn)\b(?:.*?\b(?:in|under|of|inside)\s+(?P<s>\S+))?$"),
    ("busiest", r"\b(?:busiest|hottest|most (?:often |frequently |heavily )?(?:changed|edited|modified|touched|active|updated|reworked|volatile))\b\s*(?:files?|modules?|places?|parts?|code)?(?:\s+(?:in|under|of|inside)\s+(?P<s>.+))?$"),
    ("busiest", r"\b(?:files?|modules?)\b.*\b(?:chang\w+|edited|modified|touched|updated)\s+(?:the )?(?:most(?: often| frequently)?|more than)\b(?:\s+(?:in|under|of|inside)\s+(?P<s>.+))?$"),
    ("busiest", r"\b(?:files?|modules?)\b.*\b(?:most|the most)\s+(?:commits|changes|edits)\b(?:\s+(?:in|under|of|inside)\s+(?P<s>.+))?$"),
    ("who", r"^who (?:all )?(?:works|worked|is working|has worked|has been working|contributes|contributed|commits|committed|wrote|writes|knows|maintains|owns|developed|develops|should i ask|can i ask|to ask)\b(?:\s+(?:most|mostly|the most|code))?(?:\s+(?:on|in|at|to|about|for|with))?\s*(?:what|the most|most|here)?\s*(?P<s>.+)?$"),
    ("who", r"^who (?:is|are) (?:the )?(?:(?:main|top|most active|biggest|busiest) )?(?:" + _PEOPLE + r"|responsible|expert|owner|behind|working on)\b(?:\s+(?:of|in|for|on|to))?\s*(?P<s>.+)?$"),
    ("who", r"\b(?:main|top|most active|biggest|busiest|all)\s+(?:the )?(?:\d+ )?" + _PEOPLE + r"\b(?:\s+(?:of|in|for|on|to)\s+(?P<s>.+))?"),
    ("who", r"^who (?:has |have )?" + _CHANGE + r" (?P<s>.+?) (?:the )?most(?: often)?$"),
    ("who", r"^(?:list )?(?:the )?" + _PEOPLE + r"(?:\s+(?:of|in|for|on|to)\s+(?P<s>.+))?$"),
    ("who", r"^(?:which|what) " + _PEOPLE + r" (?:work|works|worked|contribute|contributed|changed|know|wrote|touched)\w*\b(?:\s+(?:on|in|at|to|about))?\s*(?P<s>.+)?$"),
    (
        "largest",
        r"\b(?:biggest|largest|longest)\b\s*(?:\d+ )?(?:source )?files?(?:\s+(?:in|under|of|inside)\s+(?P<s>.+))?$",
    ),
    # who calls
    (
        "callers",
        r"^(?:is|are) (?:anything|anyone|anybody|something|any code) (?:still )?(?:calling|using|referencing) (?P<s>.+)$",
    ),
    ("callers", r"^(?:who|what|which " + _KIND + r")(?: (?:all|else|other code))? (?:calls?|uses?|invokes?|references?|depends on|relies on|instantiates?|constructs?|is calling|is using|are calling|are using|call|use)\s+(?P<s>.+)$"),
    ("callers", r"^(?:from )?where (?:is|are|do we|do i|does|do) (?P<s>.+?) (?:get |being )?" + _CALLED + r"(?: from)?$"),
    ("callers", r"^where do (?:we|i|you|they) (?:call|use|invoke|reference|instantiate) (?P<s>.+)$"),
    ("callers", r"^(?:show |list |find |give |get )?(?:me )?(?:all )?(?:the )?(?:callers?|usages?|uses|call ?sites?|references|users) (?:of|to|for) (?P<s>.+)$"),
    ("callers", r"^how (?:often|many times|much) (?:is|was|are|does) (?P<s>.+?) (?:get )?" + _CALLED + r"$"),
    ("callers", r"^how many (?:callers|usages|uses|call ?sites|references)(?: (?:does|do|has|of|for|are there (?:of|for)|to))? (?P<s>.+?)(?: (?:have|has|get))?$"),
    ("callers", r"^how many " + _KIND + r" (?:call|use|reference|invoke|depend on) (?P<s>.+)$"),
    ("callers", r"^(?:is|are) (?P<s>.+?) (?:still |ever |actually |really )?(?:" + _CALLED + r"|dead(?: code)?|unused)(?: (?:anywhere|somewhere|at all|by anything|by anyone))?$"),
    ("callers", r"^does (?:anything|anyone|something|any code|any function) (?:still |ever |actually )?(?:call|use|reference|need|depend on) (?P<s>.+)$"),
    ("callers", r"^what (?:would|will|could|might) (?:break|be affected|happen) if i (?:change|changed|remove|removed|delete|deleted|rename|renamed) (?P<s>.+)$"),
    (
        "callers",
        r"^if (?:i|we|somebody|someone) (?:chang|renam|remov|delet|touch|break|mov|edit)\w* (?P<s>.+?),? (?:what|who|which|where|how)\b.*$",
    ),
    # what it calls
    ("callees", r"^(?:what|which " + _KIND + r")(?: all| else)? (?:does|do|is|are) (?P<s>.+?) (?:call|use|invoke|depend on|rely on|need|calling|using)s?$"),
    ("callees", r"^how many " + _KIND + r" (?:does|do) (?P<s>.+?) (?:call|use|invoke)$"),
    ("callees", r"\b(?:callees|calls made|outgoing calls|dependencies) (?:of|by|in|from|for) (?P<s>.+)$"),
    ("callees", r"^(?:what|which " + _KIND + r") (?:is|are|gets?) " + _CALLED + r" (?:by|from|in|inside|within) (?P<s>.+)$"),
    # one commit
    ("commit", r"\b(?:commit|revision|sha|hash)\s+`?(?P<sha>(?P<s>[0-9a-f]{4,40}\b|HEAD(?:[~^]\d*)*))`?"),
    ("commit", r"^(?:(?:show|open|explain|describe|what (?:is|was|did|does|happened in|changed in|is in))\s+(?:me )?)?`?(?P<s>(?=[a-f]*\d)[0-9a-f]{7,40}|HEAD(?:[~^]\d*)?)`?(?: (?:change|do|touch|about))?$"),
    ("commit", r"^(?:what did|what was|show(?: me)?|who made|describe|what is(?: in)?|what changed in|when was)?\s*(?:the )?(?:very )?(?:last|latest|newest|most recent) commit\b(?!\s+(?:to|in|on|of|that|by|about|which|touch\w*|for))(?: (?:change|do|touch|about|made))?$"),
    # how many
    ("by", r"^how many (?:commits|changes) (?:did|has|were made by|are by|come from|by) (?P<author>[\w .'-]+?)(?: (?:make|made|do|done|have|commit|contribute|write|push|land))?$"),
    ("count", r"^(?:how many|(?:what is |give me )?(?:the )?(?:number|count) of|count(?: the| all)?)\s+(?:different |distinct |indexed |source |python )?(?P<of>commits?|files?|symbols?|functions?|methods?|classes|class|authors?|contributors?|people|developers?|committers?|lines(?: of code)?|loc|languages?|folders|directories|calls|changes|tests)\b(?:\s+(?:are|is|were|do we|do you|does it|does|have|has|there|in|on|of|under|inside|touched|to|changed|we|have|for|it|code)\b)*\s*(?P<s>.+?)?(?: (?:have|has|contain|there|in total|total|altogether))*$"),
    # when and who last
    ("born", r"^(?:when|who|by whom)(?: (?:was|were|did|first|has))* (?P<s>.+?) (?:(?:first )?(?:added|created|introduced|written|born|appear(?:ed)?|come|came|begun|started))(?: first)?(?: by)?$"),
    ("born", r"^who (?:first )?(?:added|created|introduced|started|authored) (?P<s>.+)$"),
    ("last", r"^when(?: (?:was|were|did|has|have|is))* (?P<s>.+?) (?:(?:last|most recently|lately) )?" + _CHANGE + r"(?: (?:last|the last time|most recently))?$"),
    ("last", r"^(?:when|what|who)\b.*?\b(?:last|latest|most recent|newest) (?:changes?|modification|edit|commit|update)\s+(?:to|of|in|on|for|that touched)\s+(?P<s>.+?)(?: made)?$"),
    ("last", r"^(?:the )?(?:last|latest|most recent|newest) (?:change|modification|edit|commit|update)\s+(?:to|of|in|on|for|that touched)\s+(?P<s>.+)$"),
    ("last", r"^when did (?:someone|somebody|anyone|anybody|we|they|you|people) (?:last|most recently) " + _CHANGE + r" (?P<s>.+)$"),
    ("last", r"^who (?:was the last to |did )?(?:last )?" + _CHANGE + r" (?P<s>.+?)(?: last| most recently)?$"),
    # what changed
    ("by", r"^what (?:did|has|have|is|was) " + _NAME + r" (?:been )?(?:do|done|doing|change|changed|work on|worked on|working on|commit|committed|write|written|contribute|contributed|up to)(?: " + _LATELY + r")?$"),
    ("by", r"^(?:show |list |give )?(?:me )?(?:all )?(?:the )?(?:commits|changes|work)\s+(?:made |done )?(?:by|from|of) " + _NAME + r"$"),
    ("about", r"\b(?:commits?|changes?|changed|work|history|happened|done)\b.*?\b(?:about|mention(?:ing|s|ed)?|regarding|concerning|related to|relating to|to do with|with the words?|that say|containing|speak of|deal with)\s+(?P<s>.+)$"),
    ("about", r"^(?:which|what|find|show|list)(?: me)?(?: the| all)? (?:commits?|changes?) (?:that )?(?!(?:to|in|on|of|under|touched|changed|made|were|are|was)\b)(?:added|introduced|removed|fixed|fix(?:es)?|implemented|deal with|handle[sd]?|brought)\s+(?P<s>.+)$"),
    ("about", r"^(?:when|where) did (?:we|they|somebody|someone|you) (?:add|fix|remove|introduce|drop|start|begin)\w*\s+(?P<s>.+)$"),
    ("path", r"^(?:the )?(?:history|log|commit history|change history|commits|changes|recent changes|evolution) (?:of|to|in|for|on|under|that touch(?:ed)?) (?P<s>.+)$"),
    ("path", r"\b(?:what|which commits?|anything|something|which changes|how)\b.*?\b(?:changed?|happened|happening|new|done|going on|changes|touched|modified|evolved?)\b(?: (?:" + _LATELY + r"|been|being))*\s*(?:(?:in|to|at|under|inside|on|with|for|around)\s+)?(?P<s>(?:the )?(?:folder |file |directory |module )?[\w./`'\"-]*[./_][\w./`'\"-]*|the [\w-]+ (?:folder|file|directory|module|package))(?: (?:" + _LATELY + r"))*$"),
    ("path", r"\b(?:history|log|commits|changes)\b.*?\b(?:of|to|in|for|on|under|touch(?:ing|ed)?|chang(?:ing|ed))\s+(?P<s>(?:the )?(?:\w+ )?\S+(?: (?:file|folder|function|class|method|module))?)$"),
    ("path", r"^how (?:has|did|have) (?P<s>.+?) (?:changed?|evolved?|developed?)(?: over time)?$"),
    ("path", r"^what (?:has )?(?:changed|happened|is new|is happening)(?: " + _LATELY + r")* (?:in|to|at|under|inside|on|with) (?P<s>.+?)(?: " + _LATELY + r")*$"),
    ("recent", r"^(?:what|anything|something)(?:'s|’s| is| has| have| are| was| did)?(?: (?:been|anything|we|the team|people|they|you))* ?(?:chang\w+|happen\w*|new|going on|done|up|do|work\w* on|been up to)(?: (?:" + _LATELY + r"|on|in|the))*$"),
    ("recent", r"\b(?:recent|latest|last|newest|most recent)\b(?: \w+){0,2} (?:changes?|commits?|activity|work|history|news|developments?)\b"),
    ("recent", r"^(?:show |list |give )?(?:me )?(?:the )?(?:(?:git )?log|recent activity|activity|news|changes|commits)$"),
    ("recent", r"^what changed$"),
    # show
    ("show", r"^(?:show|print|open|read|cat|display|view|see|give|what (?:is|does|stands?)(?: written)?(?: at| on| in)?|what's (?:at|on|in)|quote|look at)(?: me| us)?(?: at)?(?: the)?(?: code| line| lines| source)*(?: at| of| in| from)? (?P<s>\S+:\d+(?:\s*[-–]\s*\d+)?)(?: say| hold| contain)?$"),
    ("lines", r"\blines? (?P<first>\d+)(?:\s*(?:-|–|to|until|through|and)\s*(?P<last>\d+))?\s+(?:of|in|from)\s+(?P<s>.+?)(?: say| hold| contain| do)?$"),
    ("lines", r"^(?:show|print|open|read|what is in|what's in)(?: me)? (?P<s>\S+?),?\s+(?:at |on |from )?lines? (?P<first>\d+)(?:\s*(?:-|–|to|until|through|and)\s*(?P<last>\d+))?$"),
    ("show", r"^(?:show|print|open|read|cat|display|view|see|give|quote)(?: me| us)?(?: the)?(?: full| whole| entire)? (?:source(?: code)?|code|definition|body|implementation|text|contents?) (?:of|for|in|from|behind) (?P<s>.+)$"),
    ("show", r"^(?:how is|how does|what does the (?:code|source|body|implementation) of) (?P<s>.+?) (?:implemented|written|look(?: like)?|work|defined)$"),
    (
        "show",
        r"^(?:the )?(?:full |whole )?(?:source(?: code)?|code|definition|body|implementation) (?:of|for|behind) (?P<s>.+)$",
    ),
    # what is in
    ("inside", r"^(?:list|show|which are|what are|which|what|are there any|give me)(?: me)?(?: all)?(?: the)? (?P<of>functions?|methods?|class|classes|symbols?|files?|folders?|modules?)\b(?: (?:are|is|live|lie|stand|there|defined|do|we|have|does|exist))* (?:in|of|inside|under|from|within|at)(?: (?:the|file|folder|directory))* (?P<s>.+)$"),
    ("inside", r"^(?:which|what) (?P<of>functions?|methods?|classes|members|files?|symbols?|fields|attributes) (?:does|do|has|belong to) (?P<s>.+?)(?: (?:have|has|contain|define|hold|offer|provide))?$"),
    ("inside", r"^(?:what(?:'s|’s)?(?: is| are| lies?| lives?| stands?| do we have)?(?: there| kept| found| stored| defined)?|list|show(?: me)?|ls|look) (?:in(?:side)?|under|within|at|into|below)(?: of)? (?P<s>.+)$"),
    ("inside", r"^(?:what|which files) (?:does|do) (?P<s>.+?) (?:contain|hold|consist of|have in it|include)$"),
    ("inside", r"^(?:show |list |give )?(?:me )?(?:the |an )?(?:contents?|outline|structure|layout|members|methods|functions|classes|symbols|files|tree) (?:of|in|for|inside|under|from) (?P<s>.+)$"),
    ("inside", r"^(?:ls|list) (?P<s>(?:the )?\S+(?: (?:folder|directory))?)$"),
    # text
    ("text", r"^(?:search|grep|look|scan)(?: the)?(?: code| text| files| repo(?:sitory)?)?(?: for)? (?P<s>.+)$"),
    ("text", r"^where (?:does|do|is|are)(?: the)?(?: text| words?| string| phrase)? (?P<s>[\"'“].+[\"'”])(?: (?:occur|appear|stand|mentioned|show up|written|come up)s?)?$"),
    ("text", r"^where (?:does|do|is|are)(?: the)?(?: text| words?| string| phrase)? (?P<s>.+?) (?:occur|appear|mentioned|show up|come up)s?$"),
    ("text", r"^(?:which|what) files (?:contain|mention|say|hold|have)(?: the)?(?: text| words?| string)? (?P<s>.+)$"),
    ("text", r"\b(?:occurrences?|mentions?|text) (?:of )?(?P<s>.+)$"),
    ("text", r"^(?:find|list|show)(?: me)?(?: all| every| the)* (?P<s>TODOs?|FIXMEs?|XXXs?)\b.*$"),
    ("text", r"^(?:are there|is there)(?: any| a)?(?: open)? (?P<s>TODOs?|FIXMEs?|XXXs?)\b.*$"),
    # the whole
    ("overview", r"\b(?:overview|summary of (?:this|the) (?:repo|project)|orientation)\b"),
    ("overview", r"^what(?:'s|’s| is| does)? ?(?:in )?(?:this|the|our|it)(?: (?:repo(?:sitory)?|project|code ?base|code|program|thing))?(?: (?:about|do|for|like|made of|look like))?$"),
    ("overview", r"^(?:describe|explain|summari[sz]e|introduce|tell me about)(?: me)? (?:this|the|our)? ?(?:repo(?:sitory)?|project|code ?base)$"),
    ("overview", r"\b(?:which|what) (?:programming )?languages?\b|\bwritten in what\b|\bhow big is\b|\bhow large is\b|\bwhat (?:folders|directories) (?:are there|does it have)\b"),
    ("overview", r"^(?:which|what) branch\b|^what is (?:the )?(?:current |default )?branch\b"),
    # find symbols
    ("symbols", r"^(?:which|what|list|show|find|are there|is there|search for|do we have|have we)(?: me)?(?: all| any| a| an| the| some)* (?P<of>functions?|methods?|class|classes|symbols?)(?: (?:are there|is there|exist|there))?(?: (?:that|which|to))? ?(?:(?:is|are) )?(?:about|for|named|called|with(?: the name| names?)?|like|matching|related to|around|deals? with|do(?:es)?|handles?|has to do with|concern\w*|dealing with|whose name (?:contains|has))?\s+(?P<s>.+)$"),
    # where
    ("where", r"^(?:in )?(?:which|what) (?:file|module|folder|place|class|line)s? (?:is|are|do|does|can i find|has|have|defines?|contains?|holds?|implements?|declares?) (?P<s>.+?)(?: " + _DEFINE + r")?(?: in)?$"),
    ("where", r"^where(?:'s|’s| is| are| can i find| do i find| do we|'re| do you| does| was| were| in the code (?:is|are|do|does))(?: the code (?:for|that(?: \w+s)?|of|which(?: \w+s)?)| we)? (?P<s>.+?)(?: (?:defined|declared|implemented|located|live|lives|sit|sits|written|found|kept|stored|come from|placed|happen|happens|handled|done|made|checked))?$"),
    ("where", r"^(?:find|locate|search for|look for|go to|jump to|look up|definition of|location of)(?: me)?(?: the| all)? (?:definition of |location of |(?:code|place|part) (?:that|which) (?:deals with |\w+s ))?(?P<s>.+)$"),
    (
        "where",
        r"^(?:in )?(?:which|what) (?:file|module|folder|place) (?P<s>.+?) (?:lives?|is|are|sits?|stands?|resides?|belongs?|comes? from|is \w+ed)(?: in| to)?$",
    ),
    # what is it
    ("explain", r"^(?:what|how) (?:does|do|did) (?P<s>.+?) (?:do|mean|return|take|work|look like|stand for|expect|raise)$"),
    ("explain", r"^(?:explain|describe|tell me about|tell me more about|document|summari[sz]e)(?: to me| me)? (?:what )?(?P<s>.+?)(?: (?:does|is|do))?$"),
    ("explain", r"^(?:what(?:'s|’s| is| are|'re)|show(?: me)?)(?: the)? (?:signature|docstring|documentation|doc|docs|arguments?|parameters?|return type|interface|purpose|role|job) (?:of|for) (?P<s>.+)$"),
    ("explain", r"^what arguments (?:does|do) (?P<s>.+?) (?:take|have|need|accept)$"),
    ("explain", r"^(?:what|who)(?:'s|’s| is| are|'re) (?P<s>.+?)(?: (?:for|about|good for|used for))?$"),
    ("show", r"^(?:show|print|open|read|cat|display|view|see|quote)(?: me| us)? (?P<s>.+)$"),
)  # fmt: skip

RULES = tuple((kind, re.compile(text, re.IGNORECASE)) for kind, text in _RULE_TEXTS)
# These make no sense about nothing.
NEED_A_SUBJECT = frozenset(
    "callers callees tested heirs raised importers together first_about last born about path show lines inside text symbols where explain".split()
)
