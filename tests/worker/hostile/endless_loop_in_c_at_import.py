# load: still loading after

import re

re.match('(a|aa)+$', 'a' * 60 + 'b')  # here
