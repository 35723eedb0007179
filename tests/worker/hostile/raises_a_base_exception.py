# load: Stop: enough

class Stop(BaseException):
    pass


raise Stop('enough')  # here
