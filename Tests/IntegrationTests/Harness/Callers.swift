import Glibc

/// Clients that ask the apps socket again and again, in processes of their own, and keep count of what became of it.
final class Callers {
    static var isPossible: Bool { access(path, X_OK) == 0 }
    static let reason = "many clients at once take Perl (package perl-base)"

    /// What became of their requests.
    struct Tally {
        /// With 200.
        var answered = 0
        /// Were sent so long after their connection was made that a broker need not have waited, and it had not.
        var late = 0
        /// Got anything else, or nothing.
        var lost = 0
    }

    private static let path = "/usr/bin/perl"
    private let process: RunningProcess

    /// - Parameters:
    ///   - fresh: Make a connection for each request, and ask up to 20 ms later.
    ///   - kept: Keep their connection, and make another where a request can no longer be sent on it.
    ///   - patience: How long a broker that stops waits for who has connected, in seconds; well below that, because its
    ///     loop counts from the beginning of a turn.
    init(_ socket: String, fresh: Int, kept: Int, patience: Double) throws {
        process = try RunningProcess(Self.path, ["-e", Self.script, socket, "\(fresh)", "\(kept)", "\(patience)"])
        try process.output.line(with: "here")
    }

    /// Has them end, each with the answer to its last request.
    func end() throws -> Tally {
        process.send(SIGTERM)
        guard try process.waitForEnd() == 0 else { throw HarnessError("the callers failed: \(process.errors.text)") }
        var tally = Tally()
        for line in process.output.lines where line.hasPrefix("tally ") {
            let counts = line.split(separator: " ").dropFirst().compactMap { Int($0) }
            guard counts.count == 3 else { throw HarnessError("no tally: \(line)") }
            tally.answered += counts[0]
            tally.late += counts[1]
            tally.lost += counts[2]
        }
        return tally
    }

    private static let script = #"""
        use strict;
        use Socket;
        use Time::HiRes qw(time);
        $| = 1;
        $SIG{PIPE} = "IGNORE";
        my ($path, $fresh, $kept, $patience) = @ARGV;
        my $request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
        my $ended = 0;
        $SIG{TERM} = sub { $ended = 1 };
        my $parent = $$;

        sub connected {
            socket(my $client, AF_UNIX, SOCK_STREAM, 0) or die "socket: $!";
            connect($client, sockaddr_un($path)) or die "connect: $!";
            return $client;
        }
        sub call {
            my ($keeps) = @_;
            my ($answered, $late, $lost) = (0, 0, 0);
            my $client;
            until ($ended || getppid() != $parent) {
                my $begin = time;
                my $isNew = !$client;
                $client = connected() if $isNew;
                select(undef, undef, undef, rand(0.02));
                if (!defined syswrite($client, $request)) {
                    undef $client;
                    next unless $isNew;
                    time - $begin > $patience ? $late++ : $lost++;
                    next;
                }
                my $answer = "";
                until ($answer =~ /\}$/) {
                    my $count = sysread($client, $answer, 4096, length $answer);
                    next if !defined $count && $!{EINTR};
                    last unless $count;
                }
                $answer =~ m{^HTTP/1.1 200 .*\}$}s ? $answered++ : $lost++;
                undef $client if !$keeps || $answer !~ m{^HTTP/1.1 200 } || $answer =~ /^Connection: close\r$/m;
            }
            print "tally $answered $late $lost\n";
            exit 0;
        }

        my @children;
        for my $number (1 .. $fresh + $kept) {
            my $child = fork;
            defined $child or die "fork: $!";
            call($number > $fresh) unless $child;
            push @children, $child;
        }
        print "here\n";
        select(undef, undef, undef, 60) until $ended;
        kill TERM => @children;
        my $failed = 0;
        for (@children) {
            waitpid($_, 0);
            $failed = 1 if $?;
        }
        exit $failed;
        """#
}
