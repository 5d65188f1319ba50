// swift-tools-version: 6.2
import PackageDescription

// Targets and who may import whom; arrows point down only. A target that needs an import which is not here is
// asking for the wrong thing. Docs/Inside/Tour.md tells the targets and their reasons.

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
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
    .product(name: "NIOSSL", package: "swift-nio-ssl"),
]
let gateway: [Target.Dependency] = [
    "GatewayKit", "PushModel", "PushSystem", "PushConfig", "PushWire", "PushPayload", "PushTransport",
]
let gatewayNames = ["GatewayAPNs", "GatewayAPNsBinary", "GatewayFCM", "GatewayCustom"]
let gateways = gatewayNames.map { Target.Dependency.byName(name: $0) }
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")

// What `pushmta --version` says of it: make sets it, so that a build neither needs git nor asks for it.
let commit = (Context.environment["PUSHMTA_COMMIT"] ?? "").filter { $0.isHexDigit || $0 == "+" }

let package = Package(
    name: "PushMTA",
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        // The web server, and what PushServer names of that which it is made of. Without its traits, which bring
        // all of Foundation along.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
    ],
    targets: [
        // The engine's C: libcurl, OpenSSL, posix_spawn. Mechanism only. Two libraries are not
        // linked but loaded when they are first asked for: PostgreSQL's libpq, so that nobody needs it whose
        // store is a file, to build or to run; and libcurl, so that a command that connects to nobody does
        // not start with all that it brings.
        .target(
            name: "CPushShims",
            linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        // The synthetic gateways' C, a server's side of the same protocols. The engine links none of it: the
        // two must not share a misreading.
        .target(
            name: "CSinkShims",
            linkerSettings: [.linkedLibrary("nghttp2"), .linkedLibrary("ssl"), .linkedLibrary("crypto")]),

        // Which commit this is: C, because the manifest can hand a value to nothing but C's preprocessor, and no
        // shims, because all that sees those would be compiled anew with each commit. Two targets, because what
        // sees a C target is compiled anew when its code changes: with another commit the first is, the second
        // sees no difference, and programs are linked anew.
        .target(name: "CBuildStamp", cSettings: [.define("PUSHMTA_COMMIT", to: "\"\(commit)\"")]),
        .target(name: "CBuildCommit", dependencies: ["CBuildStamp"]),

        // Pure targets: no clock, no chance, no file, no socket.
        .target(name: "PushModel"),
        .target(name: "PushXML", dependencies: ["PushModel"]),
        .target(name: "PushConfig", dependencies: ["PushModel", "PushXML"]),
        .target(name: "PushPayload", dependencies: ["PushModel"]),
        .target(name: "PushWire", dependencies: ["PushModel", "PushXML"]),
        .target(name: "PushSchedule", dependencies: ["PushModel"]),
        .target(name: "PushQueue", dependencies: ["PushModel"]),

        // The machine's clocks and its words for errors: what every target with I/O asks.
        .target(name: "PushSystem", dependencies: ["PushModel"]),

        // Targets with I/O.
        .target(
            name: "PushStore",
            dependencies: [
                "PushModel", "PushQueue", "PushSystem", "CPushShims", grdb,
                .product(name: "GRDBSQLite", package: "GRDB.swift"), crypto,
                cryptoExtras,
            ]),
        .target(name: "PushTransport", dependencies: ["PushModel", "PushSystem", "CPushShims", logging]),
        // What all gateways share, a target for each gateway with its words and settings, and the list of them.
        .target(
            name: "GatewayKit",
            dependencies: [
                "PushModel", "PushSystem", "PushConfig", "PushWire", "PushPayload", "PushTransport",
            ]),
        .target(name: "GatewayAPNs", dependencies: gateway + [crypto]),
        .target(name: "GatewayAPNsBinary", dependencies: gateway + ["GatewayAPNs"]),
        .target(name: "GatewayFCM", dependencies: gateway + [crypto, cryptoExtras]),
        .target(name: "GatewayCustom", dependencies: gateway),
        .target(name: "PushConnectors", dependencies: gateway + gateways),

        // Tells receivers of the operator's what happened: a thread of its own, from the store by HTTP.
        .target(
            name: "PushWebhooks",
            dependencies: [
                "PushModel", "PushSystem", "PushWire", "PushSchedule", "PushStore", "PushTransport",
                "CPushShims", crypto, logging,
            ]),

        // Use cases: from values to values. No command line, no HTTP, no printing.
        .target(
            name: "PushAPI",
            dependencies: [
                "PushModel", "PushSystem", "PushConfig", "PushWire", "PushPayload", "PushSchedule",
                "PushStore",
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

        // A client of the use cases, never of the master's insides: what it needs of a master, it is given.
        .target(
            name: "PushServer",
            dependencies: [
                "PushModel", "PushSystem", "PushConfig", "PushWire", "PushAPI", logging,
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
        // The synthetic gateways: an independent reading of the gateways' contracts, so none of our codecs.
        .executableTarget(name: "pushsink", dependencies: ["CSinkShims", argumentParser]),
        // The load harness: real processes and an honest report.
        .executableTarget(
            name: "pushload",
            dependencies: [
                "PushModel", "PushWire", argumentParser, logging,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]),
        // Stages of the engine alone, to count their instructions. It is in no package.
        .executableTarget(
            name: "pushstage",
            dependencies: [
                "PushModel", "PushPayload", "PushWire", "PushTransport", "GatewayKit", "GatewayAPNs",
                "PushStore",
                argumentParser,
            ]),
        // The manual pages, from the help. Only packages are built with it; it is in none of them.
        .executableTarget(name: "pushpages", dependencies: [argumentParser]),

        // What tests of several targets need: chance that repeats itself, a folder, waits with a deadline.
        .target(
            name: "TestSupport", dependencies: ["PushModel", "CProbeShims", grdb], path: "Tests/TestSupport"),
        // Requests as tests write them.
        .target(
            name: "TestRequests", dependencies: ["PushAPI", "PushModel"], path: "Tests/TestRequests"),
        // Documents with the sections of all gateways.
        .target(
            name: "TestContents", dependencies: ["PushModel", "PushWire", "GatewayAPNs", "GatewayFCM"],
            path: "Tests/TestContents"),
        // Certificates as a test needs them, and a client that checks them.
        .target(
            name: "TestTLS", dependencies: ["PushTransport", "CPushShims"], path: "Tests/TestTLS",
            linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        // nghttp2 as a second reading of HTTP/2, and clients that show what the synthetic gateways send.
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
        // These three drive real processes: a program that they spawn lies beside the tests.
        .testTarget(
            name: "PushConnectorsTests",
            dependencies: [
                "PushConnectors", "PushModel", "PushSystem", "PushWire", "PushSchedule", "PushPayload",
                "PushTransport",
                "CPushShims", "TestSupport", "pushsink", crypto, cryptoExtras, logging, "GatewayKit",
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
                "PushWebhooks", "PushModel", "PushStore", "PushSystem", "PushWire", "TestSupport", crypto,
                logging,
            ]),
        .testTarget(
            name: "PushAPITests",
            dependencies: [
                "PushAPI", "PushModel", "PushConfig", "PushWire", "PushStore", "PushConnectors",
                "TestSupport", "TestRequests", "GatewayKit",
            ] + gateways),
        .testTarget(
            name: "PushServerTests",
            dependencies: [
                "PushServer", "PushModel", "PushConfig", "PushConnectors", "PushWire", "PushStore", "PushAPI",
                "PushSystem", "TestSupport", "TestRequests", "TestTLS", "PushTransport", logging, grdb,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        .testTarget(
            name: "PushMTATests",
            dependencies: [
                "pushmta", "pushsink", "pushpages", "PushModel", "PushSystem", "PushStore", "PushConfig",
                "PushMaster", "PushAPI", "PushServer", "PushWire", "PushConnectors", "CPushShims",
                "TestSupport",
                "TestRequests", grdb,
                logging,
            ],
            exclude: ["Fixtures"]),
        .testTarget(name: "PushPagesTests", dependencies: ["pushpages", "TestSupport"]),
        // The pure part of the load harness; the rest is driven by EndToEndTests.
        .testTarget(name: "PushLoadTests", dependencies: ["pushload", "PushXML", "TestSupport"]),
        .testTarget(name: "PushSinkTests", dependencies: ["pushsink", "CProbeShims", "TestSupport"]),
        // Real processes: the programs lie beside the tests, which drive them through pushload's Testbed.
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "TestSupport", "TestTLS", "PushTransport", "pushload", "pushmta", "pushsink", grdb, crypto,
                "PushModel", "PushSystem", "PushConfig", "PushConnectors", "PushStore", "PushAPI",
            ]),
    ]
)

// Folders of `Sources`. A target depends on targets of its own folder and of those before it only.
let layers: [(name: String, targets: [String])] = [
    ("Core", ["PushModel", "PushXML", "PushConfig", "PushPayload", "PushWire", "PushSchedule", "PushQueue"]),
    ("Shims", ["CPushShims", "CSinkShims", "CBuildStamp", "CBuildCommit", "PushSystem"]),
    (
        "Gateways",
        ["PushTransport", "GatewayKit"] + gatewayNames + ["PushConnectors"]
    ),
    ("Store", ["PushStore"]),
    ("Engine", ["PushMaster", "PushChild", "PushWebhooks"]),
    ("API", ["PushAPI"]),
    ("Faces", ["PushServer", "pushmta"]),
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

for target in package.targets where !target.name.hasSuffix("Shims") && !target.name.hasPrefix("CBuild") {
    var settings: [SwiftSetting] = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .treatAllWarnings(as: .error),
    ]
    // Every line of these talks to C; marking each one says nothing.
    let callsCAllDay = ["PushTransport", "PushTransportTests", "TestTLS", "pushsink", "PushSinkTests"]
    if !callsCAllDay.contains(target.name) { settings.append(.strictMemorySafety()) }
    target.swiftSettings = (target.swiftSettings ?? []) + settings
}
