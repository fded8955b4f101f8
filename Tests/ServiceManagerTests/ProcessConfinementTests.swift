import Glibc
import Testing

@testable import ServiceManager

@Suite("Process confinement")
struct ProcessConfinementTests {
    private func read(_ text: String) -> ProcessConfinement? {
        ProcessConfinement(statusText: text, openFiles: 1024, isTraceable: false)
    }

    @Test("is read from the kernel's fields")
    func held() throws {
        let text = "Name:\ttokenbrokerd\nCapEff:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\n"
        let confinement = try #require(read(text))
        #expect(!confinement.mayGainPrivileges && !confinement.mayCallEverything && !confinement.hasCapabilities)
        #expect(confinement.uid == geteuid() && confinement.openFiles == 1024)
    }

    @Test("is missing where the kernel does not say that it is there")
    func loose() throws {
        let text = "CapEff:\t0000000000080000\nNoNewPrivs:\t0\nSeccomp:\t0\n"
        let confinement = try #require(read(text))
        #expect(confinement.mayGainPrivileges && confinement.mayCallEverything && confinement.hasCapabilities)
        let old = try #require(read("CapEff:\t0\n"))
        #expect(old.mayGainPrivileges && old.mayCallEverything)
    }

    @Test("is not known from a text that is none of the kernel's", arguments: ["", "CapEff:\tx\n", "CapEff"])
    func unknown(_ text: String) {
        #expect(read(text) == nil)
    }

    @Test("is known of this process")
    func own() throws {
        #expect(try #require(ProcessConfinement.current()).openFiles > 0)
    }
}
