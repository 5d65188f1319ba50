import Foundation
import TestSupport
import Testing

/// In the listed targets, foreign text becomes a `String` only through `printable`, or at one of the places
/// that are listed here with a reason.
@Suite struct ForeignTextRuleTests {
    private static let targets = [
        "PushTransport", "GatewayKit", "GatewayAPNs", "GatewayAPNsBinary", "GatewayFCM", "PushConnectors",
        "PushWire", "PushAPI", "PushSystem", "pushmta",
    ]

    /// The number of places in a file at which bytes may become text, and the reason why these bytes are not
    /// foreign text.
    private static let exempt: [String: (count: Int, why: String)] = [
        "TransportLoop.swift": (3, "libcurl's fixed words, and the loader's about it"),
        "CurlHandle.swift": (3, "libcurl's fixed words"),
        "CurlHandle+Causes.swift": (1, "OpenSSL's fixed words"),
        "Certificate.swift": (1, "data: the operator's certificate, compared with the app"),
        "Endpoint.swift": (1, "data: a path as it is sent"),
        "PrivateKey.swift": (1, "a secret, searched and not shown"),
        "Credentials.swift": (1, "a credential"),
        "UseCase+Request.swift": (1, "JSON that we write"),
        "CredentialIntake+APNs.swift": (4, "credentials"),
        "CredentialIntake+FCM.swift": (2, "a credential"),
        "APNsProviderToken.swift": (1, "our own token"),
        "APNsTokenText.swift": (1, "data: the digits of a token"),
        "HexDigits.swift": (1, "digits that we write"),
        "APIAddress.swift": (1, "data: names and queries, cleaned where they are shown"),
        "ByteReader.swift": (1, "our own child's: tokens, and words that it has cleaned"),
        "ReadDeliveryLog.swift": (1, "digits that we write"),
        "Examples.swift": (1, "a table that we write"),
        "InitCommand.swift": (1, "our own sample configuration"),
        "PayloadPreview.swift": (1, "data: a payload, cleaned where it is printed"),
        "NamedFiles.swift": (1, "data: certificates"),
        "ContentDocument.swift": (1, "JSON that we write, for the payload alone"),
        "PayloadTemplate+FCM.swift": (1, "JSON that we write, for the payload alone"),
        "JSONValue+Text.swift": (
            1, "JSON that we write, where control characters are escaped"
        ),
        "JSONParser.swift": (3, "data: each reader of a document cleans what it shows; a quotation mark"),
        "RecipientFile.swift": (1, "data: user keys, tokens"),
        "RecipientCSV.swift": (
            2, "data: variables, and names of columns that are not shown"
        ),
        "CSVSeparator.swift": (1, "data: names of columns, compared and not shown"),
        "SubscriberCSV.swift": (1, "data: names of columns, cleaned where they are shown"),
        "SubscriberLines.swift": (1, "JSON that we write"),
        "Job.swift": (1, "JSON that we write"),
        "SubscriberRow.swift": (3, "data: tokens, user keys, parameters"),
        "RegistrationForm.swift": (1, "data: tokens, user keys, ids of devices"),
        "DeviceToken.swift": (1, "data: a token, compared and not shown"),
        "RetryAfter.swift": (2, "parsed and not shown"),
        "OAuthRequest.swift": (1, "our own token"),
        "OpenIDClient.swift": (1, "a secret, never shown"),
        "CredentialOptions.swift": (1, "a password"),
        "WebhookCommands.swift": (1, "data: certificates in PEM, never shown"),
        "APITokenFile.swift": (1, "a secret, never shown"),
        "ProductVersion.swift": (1, "the build's own word"),
        "CommonOptions.swift": (1, "the operator's path, cleaned where it is shown"),
        "RunningService.swift": (1, "options of our own process, parsed and not shown"),
        "ServiceManager.swift": (1, "the service manager's words, never shown"),
        "ReadinessSocket.swift": (
            2, "the folder that we made; words cleaned where they are kept"
        ),
        "JournalStream.swift": (1, "numbers, parsed and not shown"),
        "PIDFile.swift": (1, "a number, parsed and not shown"),
        "LogTail.swift": (3, "cleaned where it is shown; the working directory; paths of processes"),
        "TableFile.swift": (2, "data: cells that are written to another table"),
        "DocumentReader.swift": (1, "only checked, not shown"),
        "LocalHostName.swift": (1, "the machine's own name, cleaned where it is shown"),
        "SystemZones.swift": (2, "a zone's name, which the database knows"),
        "FolderAccess.swift": (1, "the machine's name of a group"),
        "UserName.swift": (1, "the machine's name of a user"),
        "ResidentMemory.swift": (1, "the kernel's digits"),
        "DocumentFolder.swift": (1, "the path of our own program"),
        "SystemErrorText.swift": (1, "the C library's fixed words"),
    ]

    @Test func `foreign bytes become text only through printable, or the exemption states why not`() throws {
        let way =
            /\b(String|Substring|NSString|\.init)\((decoding|cString|validating\w*|utf8String|bytes|data|copying|unsafeUninitializedCapacity|platformString):/
        var files = 0
        for file in Self.targets.flatMap({ Repository.swiftFiles(in: Repository.target($0)) }) {
            files += 1
            let name = file.lastPathComponent
            let found = try String(contentsOf: file, encoding: .utf8).matches(of: way).count
            #expect(
                found <= Self.exempt[name]?.count ?? 0,
                "\(name): make it text with String(printable:), or say here why it is none for a reader")
        }
        #expect(files > 100)
    }

    @Test func `every exempt file exists`() {
        let names = Set(
            Self.targets.flatMap { Repository.swiftFiles(in: Repository.target($0)) }.map(\.lastPathComponent)
        )
        for name in Self.exempt.keys { #expect(names.contains(name), "\(name)") }
    }
}
