import Testing
import TokenBroker

@Suite("Audit head")
struct AuditHeadTests {
    @Test("is read as it is written")
    func roundTrip() {
        for auditClass in AuditClass.allCases {
            let head = AuditHead(auditClass, sequence: 1234, mac: [0, 0x0F, 0xA0, 0xFF])
            #expect(head.description == "\(auditClass.rawValue):1234:000fa0ff")
            #expect(AuditHead(head.description) == head)
        }
    }

    @Test(
        "is nothing else",
        arguments: [
            "", "operator", "operator:1", "operator:1:", "operator:x:00", "operator:1:0", "operator:1:0g",
            "operator:1:+f", "operator:1:00:", "nobody:1:00", "operator:1:éé",
        ]
    )
    func nonsense(_ text: String) {
        #expect(AuditHead(text) == nil)
    }
}
