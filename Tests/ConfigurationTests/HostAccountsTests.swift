import Configuration
import Testing

@Suite("The host's accounts")
struct HostAccountsTests {
    @Test("are found by name, and no others")
    func hostAccounts() {
        #expect(HostAccounts().userID(named: "root") == 0)
        #expect(HostAccounts().groupID(named: "root") == 0)
        #expect(HostAccounts().userID(named: "no-such-user-here") == nil)
        #expect(HostAccounts().groupID(named: "no-such-group-here") == nil)
    }
}
