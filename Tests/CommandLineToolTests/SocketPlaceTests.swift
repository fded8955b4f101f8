import Glibc
import Testing

@testable import CommandLineTool

@Suite("Where a socket lies")
struct SocketPlaceTests {
    typealias Attributes = SocketPlace.Attributes

    private static let path = "/run/t/s.sock"

    private static func place(
        _ permissions: UInt32,
        in directoryPermissions: UInt32,
        owner: UInt32 = 0,
        group: UInt32 = 0
    ) -> SocketPlace {
        SocketPlace(
            path,
            socket: Attributes(owner: 0, group: group, permissions: permissions),
            directory: Attributes(owner: owner, group: group, permissions: directoryPermissions)
        )
    }

    @Test(
        "the apps socket is for everybody, in a directory that nobody else can change",
        arguments: [
            (place(0o666, in: 0o755), [], []), (place(0o666, in: 0o755, owner: 998), [], []),
            (place(0o660, in: 0o755), ["socket_too_narrow"], ["chmod 0666 /run/t/s.sock"]),
            (place(0o666, in: 0o750), ["socket_too_narrow"], ["chmod o+x /run/t"]),
            (place(0o666, in: 0o777), ["socket_too_wide"], ["chmod go-w /run/t"]),
            (place(0o666, in: 0o775), ["socket_too_wide"], ["chmod go-w /run/t"]),
            (place(0o666, in: 0o1777), [], []),
            (place(0o666, in: 0o755, owner: 1000), ["socket_too_wide"], ["chown root /run/t"]),
        ] as [(SocketPlace, [String], [String])]
    )
    func apps(_ place: SocketPlace, _ codes: [String], _ remedies: [String]) {
        let findings = place.appsFindings(owners: [0, 998], failure: nil)
        #expect(findings.map(\.code) == (codes.isEmpty ? ["socket_as_meant"] : codes))
        #expect(findings.compactMap(\.remedy) == remedies)
        // Who cannot get at it goes without a token, and who can put another in its place is handed what is not theirs.
        #expect(findings.map(\.level) == (codes.isEmpty ? [.ok] : [.fault]))
    }

    @Test("a socket without an answer is a fault, and its file is looked at all the same")
    func silent() {
        let findings = Self.place(0o600, in: 0o755).appsFindings(owners: [0], failure: "refused")
        #expect(findings.map(\.code) == ["socket_silent", "socket_too_narrow"])
    }

    @Test(
        "the admin socket is for the group that the configuration names",
        arguments: [
            (place(0o660, in: 0o750, group: 985), []), (place(0o666, in: 0o750, group: 985), ["socket_too_wide"]),
            (place(0o660, in: 0o750, group: 4), ["socket_too_narrow"]),
            (place(0o660, in: 0o770, group: 985), ["socket_too_wide"]),
        ] as [(SocketPlace, [String])]
    )
    func admin(_ place: SocketPlace, _ codes: [String]) {
        let findings = place.adminFindings(owners: [0], group: 985, users: [0], configuration: "/c", host: HostNames())
        #expect(findings.map(\.code) == (codes.isEmpty ? ["socket_as_meant"] : codes))
    }

    @Test("a user whom the configuration names has to be let in by the file's mode")
    func users() throws {
        let nobody = try #require(getpwnam("nobody")).pointee
        let (uid, gid, host) = (nobody.pw_uid, nobody.pw_gid, HostNames())
        func findings(_ place: SocketPlace) -> [Finding] {
            place.adminFindings(owners: [0], group: 0, users: [uid], configuration: "/c", host: host)
        }
        #expect(findings(Self.place(0o660, in: 0o750, group: gid)).map(\.code) == ["socket_as_meant"])
        let ofRoot = findings(Self.place(0o660, in: 0o750))
        #expect(ofRoot == [.userShutOut(user: "nobody", group: nil, configuration: "/c")])
        let other = host.group(gid + 1)
        #expect(
            findings(Self.place(0o660, in: 0o750, group: gid + 1))
                == [.userShutOut(user: "nobody", group: other, configuration: "/c")]
        )
        #expect(findings(Self.place(0o660, in: 0o740, group: gid)).map(\.code) == ["user_shut_out"])
    }

    @Test("a user that the host does not know is left out, as in a container")
    func unknownUser() {
        let place = Self.place(0o660, in: 0o750)
        let findings = place.adminFindings(
            owners: [0],
            group: 0,
            users: [4_000_000_000],
            configuration: "/c",
            host: HostNames()
        )
        #expect(findings.map(\.code) == ["socket_as_meant"])
    }

    @Test("what cannot be looked at is not judged")
    func absent() {
        let place = SocketPlace("/nowhere/at/all.sock")
        #expect(place.adminFindings(owners: [0], group: 1, users: [1], configuration: "/c", host: HostNames()) == [])
    }
}
