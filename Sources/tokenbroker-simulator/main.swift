internal import Glibc
internal import Simulator

exit(SimulatorProgram.run(Array(CommandLine.arguments.dropFirst())))
