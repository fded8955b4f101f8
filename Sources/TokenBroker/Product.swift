/// What the programs say of themselves.
public enum Product {
    public static let version = "0.1.0"
}
