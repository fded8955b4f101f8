import HTTPWire
import Testing
import TokenBroker

@testable import Serving

@Suite("Entity tags")
struct EntityTagTests {
    private func headers(_ fields: String...) throws -> HeaderFields {
        try parsed(message("GET /", fields)).headers
    }

    @Test(
        "a generation is in lists, with blanks around it and weak ones, too",
        arguments: ["\"12\"", "W/\"12\"", "\"7\", \"12\"", "\"7\" ,\t\"12\"\t , W/\"9\"", "*"]
    )
    func held(_ value: String) throws {
        let tags = EntityTags(try headers("If-None-Match: \(value)"))
        #expect(tags.contains(Generation(12)))
        let split = EntityTags(try headers("If-None-Match: \"1\"", "If-None-Match: \(value)"))
        #expect(split.contains(Generation(12)))
    }

    @Test(
        "another tag is another one, however alike",
        arguments: ["\"1 2\"", "\" 12\"", "\"12\t\"", "12", "\"012\"", "W/ \"12\"", "\"1,2\"", "\"1\"\"2\""]
    )
    func other(_ value: String) throws {
        #expect(!EntityTags(try headers("If-None-Match: \(value)")).contains(Generation(12)))
        let condition = try #require(RevisionCondition(try headers("If-Match: \(value)")))
        #expect(!condition.holds(of: 12))
    }

    @Test("a revision has to be read, which a weak tag does not say")
    func revision() throws {
        #expect(RevisionCondition(try headers()) == nil)
        for value in ["\"12\"", "\"7\" , \"12\"", "*"] {
            #expect(RevisionCondition(try headers("If-Match: \(value)"))?.holds(of: 12) == true)
        }
        #expect(RevisionCondition(try headers("If-Match: W/\"12\""))?.holds(of: 12) == false)
    }
}
