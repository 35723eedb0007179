# load: ok
# call: success x

def attack():
    import sys

    sys.stdout.close()
    sys.stderr.close()
    sys.stdin.close()
    del sys.stdout, sys.stderr
    return 'x'


CUSTOM_TOOLS = [attack]
