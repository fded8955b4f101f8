/// What a write has to survive before it counts as done.
public enum Durability: Sendable {
    /// The death of the process: the kernel has it. For what a new mint replaces.
    case ordinary
    /// The loss of power: the disk has it. For what cannot be had again: secrets, single-use refresh tokens, policy.
    case durable
}
