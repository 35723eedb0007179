# load: still loading after

count = 0
while True:
    count += 1
