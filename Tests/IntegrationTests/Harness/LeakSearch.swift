import Glibc
import HTTPWire

/// Finds keys and tokens where they have no business.
final class LeakSearch {
    private var planted: Set<String> = []
    /// Where something was found; what it was is not said.
    private(set) var leaks: Set<String> = []

    /// What must not be found from now on.
    func plant(_ texts: String...) {
        planted.formUnion(texts)
    }

    /// An answer with a token is that token's only business; the token must not be found anywhere else.
    func look(through answer: Answer, _ place: String) {
        if answer.status == 200 {
            for member in ["access_token", "token"] { planted.formUnion(answer.text(member).map { [$0] } ?? []) }
        } else {
            look(through: answer.body, place)
        }
    }

    func look(through text: String, _ place: String) {
        look(through: Array(text.utf8), place)
    }

    func look(through bytes: [UInt8], _ place: String) {
        // As the C library searches, which is many times as fast; it would end at the first zero.
        let text = bytes.map { CChar(bitPattern: $0 == 0 ? 1 : $0) } + [0]
        if planted.contains(where: { strstr(text, $0) != nil }) { leaks.insert(place) }
    }
}
