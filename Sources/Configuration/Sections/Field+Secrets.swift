internal import TokenBroker

extension Field {
    /// A block of `secrets:`.
    func secret(named name: Name) -> SecretDefinition? {
        mapping { reader in
            if reader.refuse("managed", "managed secrets are not supported in this version: use file or credential") {
                reader.tolerateRest()
                return nil
            }
            let file = reader.optional("file")
            let credential = reader.optional("credential")
            switch (file, credential) {
            case (let file?, nil):
                return file.absolutePath().map { SecretDefinition(name: name, source: .file(path: $0)) }
            case (nil, let credential?):
                return credential.credentialName().map { SecretDefinition(name: name, source: .credential(name: $0)) }
            case (nil, nil):
                return refusingBlock("needs 'file' or 'credential'")
            case (_?, _?):
                return refusingBlock("has both 'file' and 'credential': a secret has one source")
            }
        }
    }
}
