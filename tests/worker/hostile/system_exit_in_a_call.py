# load: ok
# call: error.*exit code 3

def attack():
    raise SystemExit(3)


CUSTOM_TOOLS = [attack]
