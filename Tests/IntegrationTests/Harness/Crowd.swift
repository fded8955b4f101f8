import Glibc

/// Many clients of the apps socket in one process of their own, which can be another user's.
final class Crowd {
    static var isPossible: Bool { geteuid() == 0 && access(path, X_OK) == 0 }
    static let reason = "other users' clients take root and Perl (package perl-base)"

    private static let path = "/usr/bin/perl"
    private let process: RunningProcess

    /// Comes, and is all there when this returns.
    ///
    /// - Parameters:
    ///   - silent: Connect and say nothing.
    ///   - idle: Have had one answer each and keep their connection.
    ///   - dripping: Send their request a byte at a time, and begin again whenever they are cut off.
    init(
        _ socket: String,
        silent: Int = 0,
        idle: Int = 0,
        dripping: Int = 0,
        as identity: Identity? = nil
    ) throws {
        let counts = [silent, idle, dripping]
        process = try RunningProcess(
            Self.path,
            ["-e", Self.script, socket] + counts.map(String.init),
            as: identity,
            descriptors: counts.reduce(64, +)
        )
        try process.output.line(with: "here")
    }

    /// Has every idle client ask once more, on the connection that it kept.
    func askAgain() throws {
        process.send(SIGUSR1)
        try process.output.line(with: "answered")
    }

    private static let script = #"""
        use strict;
        use Socket;
        $| = 1;
        $SIG{PIPE} = "IGNORE";
        my ($path, $silent, $idle, $dripping) = @ARGV;
        my $get = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n";
        my $again = 0;
        $SIG{USR1} = sub { $again = 1 };

        sub client {
            socket(my $client, AF_UNIX, SOCK_STREAM, 0) or die "socket: $!";
            connect($client, sockaddr_un($path)) or die "connect: $!";
            return $client;
        }
        sub ask {
            my ($client) = @_;
            syswrite($client, "$get\r\n");
            sysread($client, my $answer, 4096);
            die "not served: $answer" unless $answer =~ m{^HTTP/1.1 200 };
        }

        my @silent = map { client() } 1 .. $silent;
        my @idle = map { my $client = client(); ask($client); $client } 1 .. $idle;
        my @dripping = map { client() } 1 .. $dripping;
        print "here\n";
        my @request = (split(//, $get), split(//, "X-Slow: " . "x" x 4000));
        for (my $turn = 0; ; $turn++) {
            for (@dripping) {
                $_ = client() unless defined syswrite($_, $request[$turn % @request]);
            }
            select(undef, undef, undef, 0.02);
            next unless $again;
            $again = 0;
            ask($_) for @idle;
            print "answered\n";
        }
        """#
}
