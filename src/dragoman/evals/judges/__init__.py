"""One judge a dimension: the calls, the rows, the answer; and whether a wrong answer said so."""
