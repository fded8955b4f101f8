/// The tables whose rows are encrypted.
enum Table: String, CaseIterable {
    case tokens, holds, records, audit
    case auditChains = "audit_chains"
}

/// What a row is: an encrypted row opens as this and as nothing else, so that one which somebody moved, renumbered or
/// dated anew does not decrypt.
struct RowIdentity {
    let table: Table
    /// The part of the key that is no secret, and by which rows are found together.
    let scope: String
    /// A code of the whole key: who an end user is cannot be read from the file.
    let code: [UInt8]
    let version: Int64
    let writtenAtMilliseconds: Int64

    /// The identity as bytes, with the lengths before the parts, so that no two identities have the same.
    var bytes: [UInt8] {
        var bytes = Plaintext(capacity: 128)
        bytes.append(table.rawValue)
        bytes.append(scope)
        bytes.append(Int64(code.count))
        bytes.append(code.count) { $0.copyBytes(from: code) }
        bytes.append(version)
        bytes.append(writtenAtMilliseconds)
        return bytes.withBytes { Array($0) }
    }
}
