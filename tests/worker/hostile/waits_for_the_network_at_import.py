# load: still loading after

import socket

server = socket.create_server(('127.0.0.1', 0))
waiting = socket.create_connection(server.getsockname())
waiting.recv(1)  # here
