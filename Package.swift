// swift-tools-version: 6.0
import PackageDescription

let swiftSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A target of this package; an import may only point up the list below.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: swiftSettings)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: swiftSettings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: swiftSettings)
}

func library(_ name: String, pkgConfig: String, package: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

/// They run the programs, which a sanitizer of the tests does not reach: its build leaves them out.
let integrationTests =
    Context.environment["WITHOUT_INTEGRATION_TESTS"] == nil
    ? [tests("IntegrationTests", ["TokenBrokerClient", "JSON", "HTTPWire"])] : []

let package = Package(
    name: "tokenbroker",
    // The client library alone is for macOS too; `Span` is in its standard library from 26 on.
    platforms: [.macOS("26.0")],
    products: [
        .executable(name: "tokenbrokerd", targets: ["tokenbrokerd"]),
        .executable(name: "tokenbroker", targets: ["tokenbroker"]),
        .executable(name: "tokenbroker-simulator", targets: ["tokenbroker-simulator"]),
        .library(name: "TestClock", type: .dynamic, targets: ["TestClock"]),
        .library(name: "TokenBrokerClient", targets: ["TokenBrokerClient"]),
    ],
    targets: [
        // C libraries, each imported only by the modules that name it below.
        library("CCurl", pkgConfig: "libcurl", package: "libcurl4-openssl-dev"),
        library("COpenSSL", pkgConfig: "openssl", package: "libssl-dev"),
        library("CSystemd", pkgConfig: "libsystemd", package: "libsystemd-dev"),
        library("CYAML", pkgConfig: "yaml-0.1", package: "libyaml-dev"),
        library("CSQLite", pkgConfig: "sqlite3", package: "libsqlite3-dev"),
        library("CCBOR", pkgConfig: "libcbor", package: "libcbor-dev"),
        .target(name: "CLinux"),

        module("JSON"),
        module("TokenBroker"),
        module("Digests", ["COpenSSL"]),
        module("Logging", ["CSystemd"]),
        module("Configuration", ["CYAML", "TokenBroker", "Digests"]),
        module("Upstream", ["CCurl", "COpenSSL", "TokenBroker", "Digests"]),
        module("Providers", ["JSON", "TokenBroker", "Digests", "Upstream"]),
        module("Storage", ["CSQLite", "COpenSSL", "TokenBroker"]),
        module("DeviceAttestation", ["CCBOR", "COpenSSL", "TokenBroker", "Digests"]),
        module("HTTPWire"),
        module("EventLoop", ["CLinux"]),
        module("Serving", ["JSON", "TokenBroker", "Digests", "Logging", "HTTPWire", "EventLoop"]),
        module("ServiceManager", ["CSystemd", "TokenBroker"]),
        module("Simulator", ["JSON", "HTTPWire", "EventLoop", "COpenSSL"]),
        module("TokenBrokerClient", ["JSON", "HTTPWire"]),
        module(
            "CommandLineTool",
            ["JSON", "HTTPWire", "TokenBroker", "Digests", "Configuration", "Providers", "DeviceAttestation"]
        ),

        program(
            "tokenbrokerd",
            [
                "TokenBroker", "Digests", "Logging", "Configuration", "Upstream", "Providers", "Storage",
                "DeviceAttestation", "EventLoop", "Serving", "ServiceManager",
            ]
        ),
        program("tokenbroker", ["CommandLineTool"]),
        program("tokenbroker-documentation", ["CommandLineTool"]),
        program("tokenbroker-simulator", ["Simulator"]),
        .executableTarget(
            name: "tokenbroker-benchmark",
            dependencies: ["TokenBroker", "Digests", "Storage", "DeviceAttestation", "EventLoop"],
            path: "Benchmarks/Engine",
            swiftSettings: swiftSettings
        ),

        // No plain target, which every `swift build` would build: only tests may need the Testing library.
        .testTarget(name: "TestSupport", dependencies: ["TokenBroker"], swiftSettings: swiftSettings),
        // Not linked by anything: the integration tests preload it into the programs they run.
        .target(name: "TestClock", path: "Tests/TestClock"),
        tests("JSONTests", ["JSON"]),
        tests("TokenBrokerTests", ["TokenBroker"]),
        tests("DigestsTests", ["Digests"]),
        tests("LoggingTests", ["Logging"]),
        tests("ConfigurationTests", ["Configuration", "Providers", "TokenBroker"]),
        tests("UpstreamTests", ["Upstream", "TokenBroker", "Digests"]),
        tests("ProvidersTests", ["Providers", "JSON", "TokenBroker", "Digests", "Upstream"]),
        tests("StorageTests", ["Storage", "TokenBroker", "CSQLite"]),
        tests("DeviceAttestationTests", ["DeviceAttestation", "TokenBroker", "Digests", "JSON", "COpenSSL"]),
        tests("HTTPWireTests", ["HTTPWire"]),
        tests("EventLoopTests", ["EventLoop"]),
        tests("ServingTests", ["Serving", "JSON", "TokenBroker", "Digests", "Logging", "HTTPWire", "EventLoop"]),
        tests("ServiceManagerTests", ["ServiceManager"]),
        tests("SimulatorTests", ["Simulator", "JSON", "HTTPWire"]),
        tests("CommandLineToolTests", ["CommandLineTool", "JSON", "HTTPWire", "TokenBroker"]),
        tests("TokenBrokerClientTests", ["TokenBrokerClient", "JSON", "HTTPWire"]),
    ] + integrationTests,
    swiftLanguageModes: [.v6]
)
