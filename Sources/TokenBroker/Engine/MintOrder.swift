/// One mint as the table wants it made.
struct MintOrder {
    let token: TokenDefinition
    let details: SubjectDetails?
    /// Whether someone is not content with the credential that is held.
    let isForced: Bool
}
