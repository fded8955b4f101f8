"""Applications that connect to the apps socket without waiting, until they are told to end.

Prints how many requests were answered, and fails where one connection was refused.
"""

import signal
import socket
import sys
import threading
import time

REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
THREADS = 20
# Each asks this often, and more slowly where the answer has to be waited for.
PAUSE = 0.01

ended = threading.Event()
lock = threading.Lock()
counts = {"answered": 0, "refused": 0, "cut": 0}


def ask():
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK) as client:
        try:
            client.connect(sys.argv[1])
        except OSError:
            return "refused"
        client.settimeout(30)
        try:
            client.sendall(REQUEST)
            return "answered" if client.recv(100).startswith(b"HTTP/1.1 200 ") else "cut"
        except OSError:
            return "cut"


def run():
    while not ended.is_set():
        outcome = ask()
        with lock:
            counts[outcome] += 1
        time.sleep(PAUSE)


signal.signal(signal.SIGTERM, lambda *_: ended.set())
threads = [threading.Thread(target=run) for _ in range(THREADS)]
for thread in threads:
    thread.start()
while not ended.wait(0.1):
    pass
for thread in threads:
    thread.join()
print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
# Whoever was connected to a process that ended, and had not been answered, asks again.
sys.exit(counts["refused"] > 0 or counts["answered"] == 0)
