extension Broker {
    /// The accounts and keys to mint with, made from one definition.
    public struct Supply: Sendable {
        let definition: BrokerDefinition
        private let providers: [Name: any Provider]
        private let secrets: SecretsInForce

        public init(_ definition: BrokerDefinition, providers: [Name: any Provider], secrets: SecretsInForce) {
            self.definition = definition
            self.providers = providers
            self.secrets = secrets
        }
    }
}

/// Why there are no headers for a request.
public enum AuthorizationRefusal: Error {
    /// The request lacks what they need.
    case fault(AuthorizationFault)
    /// The key that goes along cannot be had.
    case secret(MintFailure)
}

extension Broker.Supply {
    /// One mint, from reading the secret to the provider's answer.
    func mint(_ order: MintOrder, for subject: Subject?) async -> Result<Mint, MintFailure> {
        let (account, provider) = source(of: order.token)
        do throws(MintFailure) {
            let key = try key(account.secret)
            let request = MintRequest(
                token: order.token,
                subject: subject,
                details: order.details,
                secret: key.value,
                secretsByOption: account.secretsByOption.mapValues { name in keyOrProblem(name).map(\.value) },
                isForced: order.isForced
            )
            do throws(MintFailure) {
                return .success(try await provider.mint(request).minted(with: key.version))
            } catch {
                noteRefusal(error, of: key, at: account)
                throw error
            }
        } catch {
            return .failure(error)
        }
    }

    /// Tells of a value that the provider does not take any more: the account's key, or the session that goes with it.
    private func noteRefusal(_ failure: MintFailure, of key: SecretsInForce.Key, at account: ProviderDefinition) {
        switch failure.failureClass {
        case .secretRejected: secrets.noteRefusal(of: account.secret, key.version, failure)
        case .sessionLost:
            for name in account.secretsByOption.values {
                secrets.noteRefusal(of: name, try? keyOrProblem(name).get().version, failure)
            }
        default: break
        }
    }

    /// - Returns: nil where there is no such token.
    func headers(
        for request: AppRequest,
        _ name: Name,
        credential: TokenText
    ) throws(AuthorizationRefusal) -> [CredentialHeader]? {
        guard let token = definition.tokens[name] else { return nil }
        let (account, provider) = source(of: token)
        var key: Secret?
        if token.credential.accompaniesSecret {
            do throws(MintFailure) { key = try self.key(account.secret).value } catch { throw .secret(error) }
        }
        do throws(AuthorizationFault) {
            let headers = try provider.headers(for: request, credential: credential, secret: key)
            return headers.decorated(with: account.decoration)
        } catch {
            throw .fault(error)
        }
    }

    private func source(of token: TokenDefinition) -> (ProviderDefinition, any Provider) {
        guard let account = definition.providers[token.provider], let provider = providers[token.provider] else {
            preconditionFailure("a token without its provider: the definition was not checked")
        }
        return (account, provider)
    }

    func provider(named name: Name) -> (any Provider)? { providers[name] }

    func key(_ name: Name) throws(MintFailure) -> SecretsInForce.Key {
        do throws(SecretProblem) {
            return try secrets.key(name)
        } catch {
            throw MintFailure(.secretUnavailable, detail: error.description)
        }
    }

    func keyOrProblem(_ name: Name) -> Result<SecretsInForce.Key, SecretProblem> {
        Result { () throws(SecretProblem) in try secrets.key(name) }
    }
}

extension [CredentialHeader] {
    /// With what the configuration adds, which is never over a header that is there already.
    fileprivate func decorated(with decoration: RequestDecoration) -> [CredentialHeader] {
        var all = self
        if let identifier = decoration.appIdentifier {
            all.append(CredentialHeader("X-App-Identifier", identifier))
        }
        all += decoration.headers
        var names: Set<String> = []
        return all.filter { names.insert($0.name.lowercased()).inserted }
    }
}
