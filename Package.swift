// swift-tools-version: 6.2
import PackageDescription

// The targets and their dependencies. A target depends only on lower targets. If a target needs an import
// that is not listed here, its code probably belongs in another target. Docs/Inside/Tour.md describes the
// targets and the reasons for them.

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let web: [Target.Dependency] = [
    .product(name: "Hummingbird", package: "hummingbird"),
    .product(name: "HummingbirdCore", package: "hummingbird"),
    .product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOPosix", package: "swift-nio"),
    .product(name: "NIOHTTP1", package: "swift-nio"),
    .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
    .product(name: "HTTPTypes", package: "swift-http-types"),
    .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
]
let gateway: [Target.Dependency] = [
    "GatewayKit", "PushModel", "PushSystem", "PushConfig", "PushWire", "PushPayload", "PushTransport",
]
let gatewayNames = ["GatewayAPNs", "GatewayAPNsBinary", "GatewayFCM", "GatewayCustom"]
let gateways = gatewayNames.map { Target.Dependency.byName(name: $0) }
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")

// The commit that `pushmta --version` prints. make sets the variable, so that a build does not need git.
let commit = (Context.environment["PUSHMTA_COMMIT"] ?? "").filter { $0.isHexDigit || $0 == "+" }

let package = Package(
    name: "PushMTA",
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        // The web server, and the packages below it whose types PushServer uses by name. The web server's
        // traits are disabled, because they link all of Foundation.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
    ],
    targets: [
        // The engine's C code: libcurl, OpenSSL and posix_spawn; mechanism only. Two libraries are not linked
        // but loaded on first use: PostgreSQL's libpq, which a machine needs neither to build nor to run with
        // a store in a file; and libcurl, so that commands without a connection do not load it and its
        // dependencies.
        .target(
            name: "CPushShims",
            linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        // OpenSSL for PushCrypto. It is separate from CPushShims, so that PushCrypto does not see the
        // headers of OpenSSL and libcurl, and a change here does not recompile the targets that use
        // CPushShims.
        .target(
            name: "CCryptoShims", linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        // The synthetic gateways' C code: the server side of the same protocols. The engine does not link it,
        // so that the two cannot share a misreading of the protocols.
        .target(
            name: "CSinkShims",
            linkerSettings: [.linkedLibrary("nghttp2"), .linkedLibrary("ssl"), .linkedLibrary("crypto")]),

        // The commit that `pushmta --version` prints. It is C code, because the manifest can pass values only
        // to C's preprocessor. It is separate from the shims, because otherwise every target that imports
        // them would be compiled again for each commit. There are two targets, because a target is compiled
        // again if a C target that it imports changes. A new commit recompiles only CBuildStamp. CBuildCommit
        // does not change, so the programs are only linked again.
        .target(name: "CBuildStamp", cSettings: [.define("PUSHMTA_COMMIT", to: "\"\(commit)\"")]),
        .target(name: "CBuildCommit", dependencies: ["CBuildStamp"]),
        // The console's style sheet and script, which the compiler embeds in the programs.
        .target(name: "CConsoleFiles", exclude: ["files"]),

        // Pure targets: no clock, randomness, file or socket.
        .target(name: "PushModel"),
        .target(name: "PushXML", dependencies: ["PushModel"]),
        .target(name: "PushConfig", dependencies: ["PushModel", "PushXML"]),
        .target(name: "PushPayload", dependencies: ["PushModel"]),
        .target(name: "PushWire", dependencies: ["PushModel", "PushXML"]),
        .target(name: "PushSchedule", dependencies: ["PushModel"]),
        .target(name: "PushQueue", dependencies: ["PushModel"]),

        // The machine's clocks and error texts, which every target with I/O uses.
        .target(name: "PushSystem", dependencies: ["PushModel"]),

        // Digests, encryption, signatures, and the server side of TLS.
        .target(name: "PushCrypto", dependencies: ["CCryptoShims"]),

        // Targets with I/O.
        .target(
            name: "PushStore",
            dependencies: [
                "PushModel", "PushQueue", "PushSystem", "PushCrypto", "CPushShims", grdb,
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        .target(name: "PushTransport", dependencies: ["PushModel", "PushSystem", "CPushShims", logging]),
        // The parts that all gateways share, a target for each gateway with its codec and settings, and their
        // list.
        .target(
            name: "GatewayKit",
            dependencies: [
                "PushModel", "PushSystem", "PushConfig", "PushWire", "PushPayload", "PushTransport",
            ]),
        .target(name: "GatewayAPNs", dependencies: gateway + ["PushCrypto"]),
        .target(name: "GatewayAPNsBinary", dependencies: gateway + ["GatewayAPNs"]),
        .target(name: "GatewayFCM", dependencies: gateway + ["PushCrypto"]),
        .target(name: "GatewayCustom", dependencies: gateway),
        .target(name: "PushConnectors", dependencies: gateway + gateways),

        // Sends events from the store to the operator's receivers over HTTP, on a separate thread.
        .target(
            name: "PushWebhooks",
            dependencies: [
                "PushModel", "PushSystem", "PushWire", "PushSchedule", "PushStore", "PushTransport",
                "PushCrypto", "CPushShims", logging,
            ]),

        // Use cases, which map values to values. No command line, HTTP or output.
        .target(
            name: "PushAPI",
            dependencies: [
                "PushModel", "PushSystem", "PushConfig", "PushWire", "PushPayload", "PushSchedule",
                "PushCrypto", "PushStore", "PushTransport",
                "PushConnectors", "PushWebhooks", "GatewayKit",
            ] + gateways),

        // Processes.
        .target(
            name: "PushChild",
            dependencies: [
                "PushModel", "PushSystem", "PushWire", "PushSchedule", "PushConnectors", "PushTransport",
                "GatewayKit", "CPushShims",
                logging,
            ]),
        .target(
            name: "PushMaster",
            dependencies: [
                "PushModel", "PushSystem", "PushConfig", "PushWire", "PushSchedule", "PushStore",
                "CPushShims", logging,
            ]),

        // The console's pages, as values of the use cases. It has no server: a request is a value, and so is
        // its answer.
        .target(
            name: "PushConsole",
            dependencies: ["PushModel", "PushSystem", "PushWire", "PushAPI", "CConsoleFiles"]),
        // A client of the use cases that does not depend on the master. The caller passes everything that
        // this target needs from a master.
        .target(
            name: "PushServer",
            dependencies: [
                "PushModel", "PushSystem", "PushCrypto", "PushConfig", "PushWire", "PushAPI", "PushConsole",
                logging,
            ] + web),

        // Programs.
        .executableTarget(
            name: "pushmta",
            dependencies: [
                "PushModel", "PushSystem", "PushConfig", "PushWire", "PushStore", "PushConnectors",
                "PushAPI",
                "PushMaster", "PushChild", "PushServer", "PushWebhooks", "CBuildCommit", argumentParser,
                logging,
            ],
            // `pushmta init` writes this file.
            resources: [.embedInCode("Resources/serverConf.xml")]),
        // The synthetic gateways. They implement the gateways' contracts independently and share no codec
        // with the engine.
        .executableTarget(name: "pushsink", dependencies: ["CSinkShims", argumentParser]),
        // The load harness, which drives real processes and reports measurements.
        .executableTarget(
            name: "pushload",
            dependencies: [
                "PushModel", "PushWire", argumentParser, logging,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]),
        // Runs single stages of the engine, to count their instructions. It is not packaged.
        .executableTarget(
            name: "pushstage",
            dependencies: [
                "PushModel", "PushPayload", "PushWire", "PushTransport", "GatewayKit", "GatewayAPNs",
                "PushStore",
                argumentParser,
            ]),
        // Generates the manual pages from the programs' help when packages are built. It is not packaged.
        .executableTarget(name: "pushpages", dependencies: [argumentParser]),

        // Helpers for tests of several targets: repeatable randomness, a temporary folder, waits with a
        // deadline.
        .target(
            name: "TestSupport", dependencies: ["PushModel", "CProbeShims", "CSinkShims", grdb],
            path: "Tests/TestSupport"),
        // Requests in the short form that tests use.
        .target(
            name: "TestRequests", dependencies: ["PushAPI", "PushModel"], path: "Tests/TestRequests"),
        // Message documents with the sections of all gateways.
        .target(
            name: "TestContents", dependencies: ["PushModel", "PushWire", "GatewayAPNs", "GatewayFCM"],
            path: "Tests/TestContents"),
        // Certificates for tests, and a client that verifies them.
        .target(
            name: "TestTLS", dependencies: ["PushTransport", "CPushShims"], path: "Tests/TestTLS",
            linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        // nghttp2 as a second implementation of HTTP/2, and clients that show the output of the synthetic
        // gateways.
        .target(
            name: "CProbeShims", dependencies: ["CSinkShims"], path: "Tests/CProbeShims",
            linkerSettings: [.linkedLibrary("nghttp2"), .linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        .testTarget(name: "PushModelTests", dependencies: ["PushModel", "TestSupport"]),
        .testTarget(name: "PushXMLTests", dependencies: ["PushXML", "TestSupport"], exclude: ["Vectors"]),
        .testTarget(
            name: "PushConfigTests",
            dependencies: ["PushConfig", "PushModel", "PushConnectors", "TestSupport", "GatewayAPNs"],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "PushPayloadTests",
            dependencies: [
                "PushPayload", "PushWire", "PushModel", "TestSupport", "TestContents", "GatewayAPNs",
                "GatewayFCM",
            ],
            exclude: ["Golden"]),
        .testTarget(
            name: "PushWireTests",
            dependencies: ["PushWire", "PushModel", "TestSupport", "TestContents"] + gateways,
            exclude: ["Vectors"]),
        .testTarget(name: "PushScheduleTests", dependencies: ["PushSchedule", "PushModel", "TestSupport"]),
        .testTarget(name: "PushQueueTests", dependencies: ["PushQueue", "PushModel", "TestSupport"]),
        .testTarget(
            name: "PushCryptoTests", dependencies: ["PushCrypto", "CProbeShims", "TestSupport", "TestTLS"]),
        .testTarget(name: "PushSystemTests", dependencies: ["PushSystem", "PushModel"]),
        .testTarget(
            name: "PushStoreTests",
            dependencies: ["PushStore", "PushModel", "pushload", "TestSupport", grdb],
            exclude: ["Vectors"]),
        .testTarget(
            name: "PushTransportTests",
            dependencies: [
                "PushTransport", "CPushShims", "CProbeShims", logging, "TestSupport", "TestTLS",
            ]),
        // These three drive real processes: the programs that they spawn are in the same folder as the tests.
        .testTarget(
            name: "PushConnectorsTests",
            dependencies: [
                "PushConnectors", "PushModel", "PushSystem", "PushWire", "PushSchedule", "PushPayload",
                "PushTransport",
                "CPushShims", "TestSupport", "pushsink", logging, "GatewayKit",
            ] + gateways),
        .testTarget(
            name: "PushChildTests",
            dependencies: [
                "PushChild", "PushModel", "PushWire", "PushSchedule", "PushConnectors", "PushTransport",
                "CPushShims",
                "TestSupport", logging, "GatewayAPNs",
            ]),
        .testTarget(
            name: "PushMasterTests",
            dependencies: [
                "PushMaster", "PushModel", "PushSystem", "PushConfig", "PushWire", "PushSchedule",
                "PushStore", "PushConnectors",
                "CPushShims", "TestSupport", logging, grdb,
            ] + gateways),
        .testTarget(
            name: "PushWebhooksTests",
            dependencies: [
                "PushWebhooks", "PushModel", "PushStore", "PushSystem", "PushWire", "TestSupport",
                "PushCrypto", logging,
            ]),
        .testTarget(
            name: "PushAPITests",
            dependencies: [
                "PushAPI", "PushModel", "PushConfig", "PushWire", "PushStore", "PushConnectors",
                "PushCrypto", "TestSupport", "TestRequests", "GatewayKit",
            ] + gateways),
        .testTarget(
            name: "PushConsoleTests",
            dependencies: [
                "PushConsole", "PushAPI", "PushModel", "PushConfig", "PushConnectors", "PushWire",
                "PushStore",
                "TestSupport", "TestRequests",
            ]),
        .testTarget(
            name: "PushServerTests",
            dependencies: [
                "PushServer", "PushModel", "PushConfig", "PushConnectors", "PushWire", "PushStore", "PushAPI",
                "PushSystem", "PushCrypto", "TestSupport", "TestRequests", "TestTLS", "PushTransport",
                "CProbeShims", logging, grdb,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        .testTarget(
            name: "PushMTATests",
            dependencies: [
                "pushmta", "pushsink", "pushload", "pushpages", "PushModel", "PushSystem", "PushStore",
                "PushConfig",
                "PushMaster", "PushAPI", "PushServer", "PushWire", "PushConnectors", "CPushShims",
                "TestSupport",
                "TestRequests", grdb,
                logging,
            ],
            exclude: ["Fixtures"]),
        .testTarget(name: "PushPagesTests", dependencies: ["pushpages", "TestSupport"]),
        // The pure part of the load harness; EndToEndTests cover the rest.
        .testTarget(name: "PushLoadTests", dependencies: ["pushload", "PushXML", "TestSupport"]),
        .testTarget(name: "PushSinkTests", dependencies: ["pushsink", "CProbeShims", "TestSupport"]),
        // Real processes: the programs are in the same folder as the tests, which drive them through
        // pushload's Testbed.
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "TestSupport", "TestTLS", "PushTransport", "pushload", "pushmta", "pushsink", grdb,
                "PushCrypto",
                "PushModel", "PushSystem", "PushConfig", "PushConnectors", "PushStore", "PushAPI",
            ]),
    ]
)

// The folders in `Sources`. A target depends only on targets in its own folder and in the folders listed
// before it.
let layers: [(name: String, targets: [String])] = [
    ("Core", ["PushModel", "PushXML", "PushConfig", "PushPayload", "PushWire", "PushSchedule", "PushQueue"]),
    (
        "Shims",
        [
            "CPushShims", "CCryptoShims", "CSinkShims", "CBuildStamp", "CBuildCommit", "CConsoleFiles",
            "PushSystem", "PushCrypto",
        ]
    ),
    (
        "Gateways",
        ["PushTransport", "GatewayKit"] + gatewayNames + ["PushConnectors"]
    ),
    ("Store", ["PushStore"]),
    ("Engine", ["PushMaster", "PushChild", "PushWebhooks"]),
    ("API", ["PushAPI"]),
    ("Faces", ["PushConsole", "PushServer", "pushmta"]),
    ("Tools", ["pushsink", "pushload", "pushstage", "pushpages"]),
]
var below: Set<String> = []
for layer in layers {
    below.formUnion(layer.targets)
    for target in package.targets where layer.targets.contains(target.name) {
        target.path = "Sources/\(layer.name)/\(target.name)"
        for case .byNameItem(let name, _) in target.dependencies {
            precondition(below.contains(name), "\(target.name) must not depend on \(name)")
        }
    }
}

// The targets in C, which no setting of Swift applies to.
func isC(_ target: Target) -> Bool {
    target.name.hasSuffix("Shims") || target.name.hasPrefix("CBuild") || target.name == "CConsoleFiles"
}

for target in package.targets where !isC(target) {
    var settings: [SwiftSetting] = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .treatAllWarnings(as: .error),
    ]
    // Nearly every line of these targets calls C, so `unsafe` markers would carry no information.
    let targetsThatWrapC = ["PushTransport", "PushTransportTests", "TestTLS", "pushsink", "PushSinkTests"]
    if !targetsThatWrapC.contains(target.name) { settings.append(.strictMemorySafety()) }
    target.swiftSettings = (target.swiftSettings ?? []) + settings
}
