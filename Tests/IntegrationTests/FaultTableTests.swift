import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("The table of providers' answers", .blocking)
struct FaultTableTests {
    private static let classes = "What each answer means"
    private static let answers = "By provider"

    @Test("says what callers are told of every answer that any provider gives, and no key or token is in any of it")
    func cells() throws {
        let page = try Document("providers.md")
        let classes = try page.table(below: Self.classes).dropFirst().map(FailureClass.init)
        let table = try page.table(below: Self.answers)
        #expect(table[0].dropFirst() == FaultyAccount.Kind.allCases.map(\.rawValue)[...])
        #expect(table.dropFirst().map { $0[0] } == FaultyAccount.Fault.allCases.map(\.rawValue))
        let site = try FaultySite()
        for (fault, row) in zip(FaultyAccount.Fault.allCases, table.dropFirst()) {
            for (kind, cell) in zip(FaultyAccount.Kind.allCases, row.dropFirst()) {
                let account = FaultyAccount(kind: kind, fault: fault)
                guard account.isPossible else {
                    #expect(cell == "–", "\(account)")
                    continue
                }
                let observation = try site.observe(account)
                #expect(Self.words(observation.answer, classes) == cell, "\(account): \(observation.answer.json)")
                guard let said = classes.first(where: { $0.code == observation.answer.code }) else { continue }
                #expect(said.status == observation.answer.status, "\(account)")
                for (status, documented) in zip(observation.proxied, said.proxiedStatuses) {
                    #expect(status == documented, "\(account)")
                }
            }
        }
        try site.lookAround()
        #expect(site.leaks.isEmpty, "\(site.leaks)")
        #expect(try site.crash() == [])
    }

    /// A row of the table of classes.
    private struct FailureClass {
        let name: String
        let code: String
        let status: Int?
        /// On a route and on forward-auth.
        let proxiedStatuses: [Int?]

        init(_ cells: [String]) {
            (name, code) = (cells[0], cells[1].replacing("`", with: ""))
            status = Int(cells[2])
            proxiedStatuses = [Int(cells[3]), Int(cells[4])]
        }
    }

    /// An answer as a cell of the table has it.
    private static func words(_ answer: Answer, _ classes: [FailureClass]) -> String {
        guard answer.status != 200 else {
            // A minute for the way here.
            let isCut = answer.integer("expires_in") ?? 0 > 30 * 86400 - 60
            return isCut ? "served, cut to 30 d" : "served"
        }
        let name = classes.first { $0.code == answer.code }?.name ?? answer.code ?? "?"
        let isAsked = ["rate limited", "transient"].contains(name) && answer.integer("retry_after") == 30
        return isAsked ? "\(name), 30 s" : name
    }
}
