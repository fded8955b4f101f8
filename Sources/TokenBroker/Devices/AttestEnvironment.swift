/// Which of Apple's App Attest environments a device used. Apps from the App Store and TestFlight use production,
/// those that Xcode installs development, unless their entitlement says otherwise.
public enum AttestEnvironment: String, Sendable, CaseIterable {
    case production
    case development
}
