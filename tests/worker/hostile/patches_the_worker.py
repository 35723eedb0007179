# load: ok
# call: error

def attack():
    import adal_ls.worker.calling as calling
    import adal_ls.wire.peer as peer

    for module in (calling, peer):
        for name in list(vars(module)):
            if not name.startswith('__'):
                setattr(module, name, None)
    return 'x'


CUSTOM_TOOLS = [attack]
