"""Runs in the daemon's place in a copy of its unit, and tries what the sandbox is to keep from it.

Prints what is not as it should be, and fails then.
"""

import ctypes
import errno
import mmap
import os
import resource
import socket
import sys

libc = ctypes.CDLL(None, use_errno=True)
CLONE_NEWUSER = 0x10000000
ADDR_NO_RANDOMIZE = 0x0040000
STATE = os.environ["STATE_DIRECTORY"]

faults = []


def expect(what, holds):
    if not holds:
        faults.append(what)


def call(function, *arguments):
    """The error of a call of the C library's; 0 for none."""
    return ctypes.get_errno() if getattr(libc, function)(*arguments) == -1 else 0


def error_of(attempt):
    try:
        attempt()
    except OSError as error:
        return error.errno
    return 0


def set_user_id():
    path = f"{STATE}/set-user-id"
    try:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o700))
        os.chmod(path, 0o4700)
    finally:
        os.unlink(path)


with open("/proc/self/status", encoding="ascii") as file:
    status = dict(line.rstrip("\n").split(":\t", 1) for line in file)

expect("runs as a user of its own", os.getuid() != 0 and os.getgid() != 0)
expect("has no capability, now or later", int(status["CapEff"], 16) == 0 and int(status["CapBnd"], 16) == 0)
expect("gains no privileges", status["NoNewPrivs"] == "1")
expect("has its calls filtered", status["Seccomp"] == "2")
expect("makes files for nobody else", os.umask(0o077) == 0o077)
expect("leaves no core", resource.getrlimit(resource.RLIMIT_CORE) == (0, 0))
for path in ["/", "/usr", "/etc", "/var/lib", "/sys/fs/cgroup"]:
    expect(f"writes nothing below {path}", os.statvfs(path).f_flag & os.ST_RDONLY)
expect("writes its store", os.access(STATE, os.W_OK) and os.stat(STATE).st_mode & 0o777 == 0o700)
expect("has a /tmp of its own", not os.listdir("/tmp"))
expect("sees no homes", error_of(lambda: os.listdir("/root")) == errno.EACCES)
expect("sees its peers", os.path.exists("/proc/1/cgroup"))
for family in [socket.AF_NETLINK, socket.AF_PACKET, socket.AF_VSOCK]:
    expect(f"makes no {family.name}", error_of(lambda: socket.socket(family, socket.SOCK_DGRAM)) == errno.EAFNOSUPPORT)
for family in [socket.AF_UNIX, socket.AF_INET, socket.AF_INET6]:
    expect(f"makes an {family.name}", error_of(lambda: socket.socket(family, socket.SOCK_STREAM).close()) == 0)
expect("makes no namespace", call("unshare", CLONE_NEWUSER) == errno.EPERM)
expect("keeps its personality", call("personality", ADDR_NO_RANDOMIZE) == errno.EPERM)
expect("takes no resources", error_of(lambda: os.setpriority(os.PRIO_PROCESS, 0, 1)) == errno.EPERM)
expect("makes no set-user-id program", error_of(set_user_id) == errno.EPERM)
executable = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
# By the filter of calls, or by the kernel itself where systemd (253 and later) can ask it to.
refused = error_of(lambda: mmap.mmap(-1, mmap.PAGESIZE, prot=executable))
expect("runs nothing that it wrote", refused in (errno.EPERM, errno.EACCES))

for fault in faults:
    print(f"not so: {fault}")
sys.exit(bool(faults))
