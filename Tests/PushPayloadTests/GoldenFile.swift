import Foundation
import GatewayAPNs
import GatewayFCM
import PushModel
import PushPayload
import PushWire
import TestContents
import Testing

/// A file of `Golden`: a delivery document and the data that gateways receive for it, written by hand from
/// Apple's and Google's documentation. Sections begin with `== NAME`:
///
/// - `document`: The input.
/// - `apns headers`: `name: value` of all fields that a content determines.
/// - `apns binary`: `priority = N`, the frame's item.
/// - `apns payload`, `fcm v1 payload`, `fcm legacy payload`: One line with the exact bytes.
/// - `apns reads`, …: `path = JSON`, the value that a third-party JSON reader finds at this path.
struct GoldenFile: Sendable, CustomTestStringConvertible {
    let name: String
    let sections: [String: String]

    var testDescription: String { name }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    /// All golden files, sorted by name.
    static let all: [GoldenFile] = {
        let names =
            (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
        return names.filter { $0.hasSuffix(".golden") }.sorted().compactMap { try? GoldenFile(file: $0) }
    }()

    private init(file: String) throws {
        name = String(file.dropLast(".golden".count))
        let text = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
        var sections: [String: String] = [:]
        var title = ""
        for line in text.split(separator: "\n") {
            if line.hasPrefix("== ") {
                title = String(line.dropFirst(3))
                sections[title] = ""
            } else {
                let before = sections[title].flatMap { $0.isEmpty ? nil : $0 + "\n" } ?? ""
                sections[title] = before + line
            }
        }
        self.sections = sections
    }

    /// Returns the lines of a section, each split in two.
    func pairs(_ section: String, at separator: String) -> [(String, String)] {
        (sections[section] ?? "").split(separator: "\n").compactMap { line in
            line.range(of: separator).map { (String(line[..<$0.lowerBound]), String(line[$0.upperBound...])) }
        }
    }

    func document() throws -> DeliveryDocument {
        try DeliveryDocument.parse(Array(try #require(sections["document"]).utf8))
    }

    /// Returns the `content` object as another JSON reader parses it.
    func contentTree() throws -> [String: Any] {
        let bytes = Data(try #require(sections["document"]).utf8)
        let root = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        return try #require(root["content"] as? [String: Any])
    }
}

/// The gateways to which the document can be sent. Each renders a document as a connector does: from the data
/// that the store keeps about it.
enum GoldenGateway: String, CaseIterable, Sendable {
    case apns
    case fcmV1 = "fcm v1"
    case fcmLegacy = "fcm legacy"

    func payload(of document: DeliveryDocument) throws -> String {
        let content = try ContentDocument.decode(document.contentJSON)
        let template =
            switch self {
            case .apns:
                try PayloadTemplate.apns(
                    content: content, variables: [], delivery: DeliveryID(rawValue: 77),
                    tracking: document.tracking, idFormat: .uuid)
            case .fcmV1, .fcmLegacy:
                try PayloadTemplate.android(
                    content: content, variables: [], delivery: DeliveryID(rawValue: 77),
                    tracking: document.tracking, idFormat: .uuid,
                    envelope: AndroidEnvelope(self == .fcmV1 ? .httpV1 : .legacy))
            }
        let token = "fcm-TOKEN_1:APA91b"
        let bytes = template.rendered(
            identity: OpaqueID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210), integerID: 1,
            token: Array((template.takesTokenList ? "\"\(token)\"" : token).utf8), secondsToLive: 3_600
        ).bytes
        return String(decoding: try #require(bytes), as: UTF8.self)
    }
}
