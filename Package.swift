// swift-tools-version: 6.2
import PackageDescription

// The house: one target a room, arrows only downward. A room that needs an import which is not drawn here is asking
// for the wrong thing. The rooms and their reasons are told in Docs/Tour.md.

let package = Package(
    name: "PushMTA",
    products: [
        .executable(name: "pushmta", targets: ["pushmta"]),
        .executable(name: "pushsink", targets: ["pushsink"]),
        .executable(name: "pushload", targets: ["pushload"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // C: libcurl, nghttp2, OpenSSL, posix_spawn. Mechanism only.
        .target(
            name: "CPushShims",
            linkerSettings: [.linkedLibrary("curl"), .linkedLibrary("nghttp2"), .linkedLibrary("ssl"), .linkedLibrary("crypto")]),

        // Pure rooms: no clock, no chance, no file, no socket.
        .target(name: "PushModel"),
        .target(name: "PushConfig", dependencies: ["PushModel"]),
        .target(name: "PushPayload", dependencies: ["PushModel"]),
        .target(name: "PushWire", dependencies: ["PushModel"]),
        .target(name: "PushSchedule", dependencies: ["PushModel"]),
    ]
)

for target in package.targets where target.type != .plugin && target.name != "CPushShims" {
    var settings: [SwiftSetting] = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .treatAllWarnings(as: .error),
    ]
    // Every line of these two talks to C; marking each one says nothing.
    let callsCAllDay = ["PushTransport", "PushTransportTests", "pushsink"]
    if !callsCAllDay.contains(target.name) { settings.append(.strictMemorySafety()) }
    target.swiftSettings = (target.swiftSettings ?? []) + settings
}
