# load: RecursionError

def down():
    return down()  # here


down()
