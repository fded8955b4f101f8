internal import Glibc

exit(Daemon.main(CommandLine.arguments))
