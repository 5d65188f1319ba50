import Foundation
import Testing

/// Text of others becomes a `String` in the targets where it enters through `printable` only, or in one of
/// the places that are named here with their reason.
@Suite struct ForeignTextRuleTests {
    private static let sources = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(
            path: "Sources")
    private static let targets = [
        "PushTransport", "PushConnectors", "PushWire", "PushOperations", "PushSystem", "pushmta",
    ]

    /// How often bytes may become text in a file, and why that is no foreign text for a reader.
    private static let exempt: [String: (count: Int, why: String)] = [
        "PushTransport/TransportLoop.swift": (3, "libcurl's fixed words, and the loader's about it"),
        "PushTransport/CurlHandle.swift": (3, "libcurl's fixed words"),
        "PushTransport/CurlHandle+Causes.swift": (1, "OpenSSL's fixed words"),
        "PushTransport/HTTP2Connection.swift": (1, "nghttp2's fixed words"),
        "PushTransport/HTTP2Connection+Events.swift": (1, "nghttp2's fixed words"),
        "PushTransport/Certificate.swift": (1, "data: the operator's certificate, compared with the app"),
        "PushTransport/Endpoint.swift": (1, "data: a path as it is sent"),
        "PushTransport/PrivateKey.swift": (1, "a secret, searched and not shown"),
        "PushMaster/LocalConnection.swift": (1, "the head of an answer, parsed and not shown"),
        "PushOperations/Apps/Credentials.swift": (1, "a credential"),
        "PushOperations/Declared/UseCase+Request.swift": (1, "JSON that we write"),
        "PushConnectors/CredentialIntake.swift": (4, "credentials"),
        "PushConnectors/CredentialIntake+FCM.swift": (2, "a credential"),
        "PushWire/APNs/APNsProviderToken.swift": (1, "our own token"),
        "PushWire/APNs/APNsTokenText.swift": (1, "data: the digits of a token"),
        "PushWire/APNsBinary/HexDigits.swift": (1, "digits that we write"),
        "PushWire/API/APIAddress.swift": (1, "data: names and queries, cleaned where they are shown"),
        "PushWire/ChildLink/ByteReader.swift": (1, "our own child's: tokens, and words that it has cleaned"),
        "PushOperations/Deliveries/ReadDeliveryLog.swift": (1, "digits that we write"),
        "PushOperations/Deliveries/PayloadPreview.swift": (1, "data: a payload, cleaned where it is printed"),
        "PushOperations/Instance/NamedFiles.swift": (1, "data: certificates"),
        "PushWire/Documents/ContentDocument.swift": (1, "JSON that we write, for the payload alone"),
        "PushWire/Documents/JSONValue+Text.swift": (
            1, "JSON that we write, where control characters are escaped"
        ),
        "PushWire/Documents/JSONParser.swift": (2, "data: each reader of a document cleans what it shows"),
        "PushWire/Documents/RecipientFile.swift": (1, "data: user keys, tokens"),
        "PushWire/Documents/RecipientCSV.swift": (
            2, "data: variables, and names of columns that are not shown"
        ),
        "PushWire/Documents/CSVSeparator.swift": (1, "data: names of columns, compared and not shown"),
        "PushWire/Documents/SubscriberCSV.swift": (1, "data: names of columns, cleaned where they are shown"),
        "PushWire/Documents/SubscriberLines.swift": (1, "JSON that we write"),
        "PushOperations/Jobs/Job.swift": (1, "JSON that we write"),
        "PushWire/Documents/SubscriberRow.swift": (3, "data: tokens, user keys, parameters"),
        "PushWire/Registration/RegistrationReader.swift": (1, "data: tokens, user keys, ids of devices"),
        "PushWire/Registration/DeviceToken.swift": (1, "data: a token, compared and not shown"),
        "PushWire/FCM/RetryAfter.swift": (2, "parsed and not shown"),
        "PushWire/OAuth/OAuthRequest.swift": (1, "our own token"),
        "pushmta/Commands/CredentialOptions.swift": (1, "a password"),
        "pushmta/Commands/WebhookCommands.swift": (1, "data: certificates in PEM, never shown"),
        "pushmta/Service/APITokenFile.swift": (1, "a secret, never shown"),
        "pushmta/ProductVersion.swift": (1, "the build's own word"),
        "pushmta/Invocation/CommonOptions.swift": (1, "the operator's path, cleaned where it is shown"),
        "pushmta/Service/ServiceProcess.swift": (1, "the path of this program"),
        "pushmta/Service/ServiceManager.swift": (1, "the service manager's words, never shown"),
        "pushmta/Service/ReadinessSocket.swift": (
            2, "the folder that we made; words cleaned where they are kept"
        ),
        "pushmta/Log/JournalStream.swift": (1, "numbers, parsed and not shown"),
        "pushmta/Service/PIDFile.swift": (1, "a number, parsed and not shown"),
        "pushmta/Service/LastLine.swift": (2, "cleaned where it is shown; the working directory"),
        "PushWire/Documents/DocumentReader.swift": (1, "only checked, not shown"),
        "PushSystem/HostName.swift": (1, "the machine's own name, cleaned where it is shown"),
        "PushSystem/SystemZones.swift": (2, "a zone's name, which the database knows"),
        "PushSystem/FolderAccess.swift": (1, "the machine's name of a group"),
        "PushSystem/UserName.swift": (1, "the machine's name of a user"),
        "PushSystem/ResidentMemory.swift": (1, "the kernel's digits"),
        "PushSystem/SystemErrorText.swift": (1, "the C library's fixed words"),
    ]

    @Test func `foreign bytes become text through printable, or where it is said why not`() throws {
        let way =
            /\b(String|Substring|NSString|\.init)\((decoding|cString|validating\w*|utf8String|bytes|data|copying|unsafeUninitializedCapacity|platformString):/
        var files = 0
        for target in Self.targets {
            let folder = Self.sources.appending(path: target)
            let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            for case let file as URL in all?.allObjects ?? [] where file.pathExtension == "swift" {
                files += 1
                let name = target + file.path.dropFirst(folder.path.count)
                let found = try String(contentsOf: file, encoding: .utf8).matches(of: way).count
                #expect(
                    found <= Self.exempt[name]?.count ?? 0,
                    "\(name): make it text with String(printable:), or say here why it is none for a reader")
            }
        }
        #expect(files > 100)
    }

    @Test func `what is exempt is there`() {
        for name in Self.exempt.keys {
            #expect(
                FileManager.default.fileExists(atPath: Self.sources.appending(path: name).path), "\(name)")
        }
    }
}
