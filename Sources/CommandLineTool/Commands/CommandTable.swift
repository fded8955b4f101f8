/// Every command there is, in the order of the help.
enum CommandTable {
    static let commands: [Command] = [
        .get, .exec, .watch, .list, .whoami,
        .status, .top, .tokenRefresh, .tokenDrop, .reload, .checkConfig,
        .auditVerify, .audit,
        .verifyAttestation, .verifyAssertion,
        .help,
    ]

    static let parser = ArgumentParser(commands: commands)
}
