import ServiceManager
import Testing

@Suite("Status sentence")
struct StatusSentenceTests {
    @Test("says how many tokens are ready")
    func ready() {
        #expect(StatusSentence(ready: 7, others: []).description == "7 tokens ready")
        #expect(StatusSentence(ready: 1, others: []).description == "1 token ready")
    }

    @Test("names those that are not, by what they are, and leaves out what none is")
    func others() {
        let sentence = StatusSentence(
            ready: 7,
            others: [
                .init(state: "degraded", names: ["roadie-user"]),
                .init(state: "minting", names: []),
                .init(state: "waiting for secret", names: ["a", "b"]),
            ]
        )
        #expect(sentence.description == "7 tokens ready, 1 degraded: roadie-user, 2 waiting for secret: a b")
    }

    @Test("names three at most")
    func many() {
        let sentence = StatusSentence(ready: 0, others: [.init(state: "idle", names: ["a", "b", "c", "d", "e"])])
        #expect(sentence.description == "0 tokens ready, 5 idle: a b c and 2 more")
    }

    @Test("says that there are none")
    func none() {
        #expect(StatusSentence(ready: 0, others: []).description == "no tokens configured")
    }
}
