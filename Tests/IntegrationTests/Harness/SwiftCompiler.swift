import Glibc
import Testing

/// The compiler that the tests themselves are built with, most likely.
enum SwiftCompiler {
    /// Where it is; nil where it is not in the tests' own path.
    static let path: String? = {
        let folders = getenv("PATH").map { String(cString: $0) }?.split(separator: ":") ?? []
        return folders.map { "\($0)/swiftc" }.first { access($0, X_OK) == 0 }
    }()
}

extension Trait where Self == ConditionTrait {
    static var withSwift: ConditionTrait {
        .enabled(if: SwiftCompiler.path != nil, "swiftc is not in the tests' PATH")
    }
}
