import Foundation
import PushAPI
import PushModel
import PushStore
import TestSupport
import Testing

/// Tests that texts refer to use cases by their types, and that the command line and the API each write the
/// reference in their own form.
@Suite struct FaceTextTests {
    @Test func `a reference is rendered as a command for the command line and as an address for the API`() {
        let error = OperationError.absent(
            "see \(see: ListDeliveries.self) and \(see: ShowDelivery(id: DeliveryID(rawValue: 7)))")
        #expect(error.lines == ["see 'pushmta delivery list' and 'pushmta delivery show 7'"])
        #expect(error.apiLines == ["see GET /api/v1/deliveries and GET /api/v1/deliveries/7"])
        let kind = OperationError.failed("stop \(command: "with 'pushmta stop'", api: "the service") first")
        #expect(
            kind.lines == ["stop with 'pushmta stop' first"] && kind.apiLines == ["stop the service first"])
    }

    @Test func `texts for people refer to no requests`() {
        let gone = OperationError.absent("there is no draft 7; \(see: ListDrafts.self) shows all drafts")
        #expect(gone.peopleLines == ["there is no draft 7"])
        let taken = OperationError.conflict(
            "app a exists; choose another name, or change it with \(see: ListDeliveries.self)")
        #expect(taken.peopleLines == ["app a exists; choose another name"])
        let away = OperationError.failed("stop \(command: "with 'pushmta stop'", api: "the service") first")
        #expect(away.peopleLines == ["stop the service first"])
        let only = OperationError.failed("see \(see: ListDeliveries.self)")
        #expect(only.peopleLines == ["see GET /api/v1/deliveries"])
    }

    @Test func `external text that contains reference marks is shown unchanged`() {
        for text in ["a\u{E000}b", "\u{E002}\u{E001}\u{E000}", "\u{E000}a\u{E001}"] {
            let error = OperationError.absent("no \(text); \(see: ListDeliveries.self) shows all")
            #expect(error.apiLines[0].hasSuffix("shows all") && !error.apiLines[0].contains("pushmta"))
        }
    }

    @Test func `no operation's text names a command that an API client cannot run`() throws {
        let command =
            #/'(pushmta |(app|service|delivery|template|token|host|quarantine|webhook|account) [a-z]+)|'[a-z]+ (list|show|create|update|save)/#
        var files = 0
        let folders = [
            Repository.target("PushAPI"), Repository.target("PushServer").appending(path: "API"),
            Repository.target("PushStore").appending(path: "Instance"),
            Repository.target("PushWire").appending(path: "Documents"),
            Repository.target("PushWire").appending(path: "Rows"),
        ]
        for folder in folders {
            for file in Repository.swiftFiles(in: folder) {
                files += 1
                for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                    let text = line.drop { $0 == " " }
                    guard !text.hasPrefix("//"), !text.contains("command: \""),
                        // These texts are about stores that no service opens.
                        !text.contains("earlier version"), !text.contains("store copy"),
                        // These texts are for the operator: lines of the log, and how a token is created.
                        !text.contains("'pushmta app show"), !text.contains("'pushmta app unknown-keys"),
                        !text.contains("'pushmta token create")
                    else { continue }
                    #expect(text.firstMatch(of: command) == nil, "\(file.lastPathComponent): \(text)")
                }
            }
        }
        #expect(files > 80)
    }

    @Test func `each kind of error has a listed code`() {
        for kind in OperationError.Kind.allCases { #expect(kind.code.rawValue == kind.rawValue) }
    }

    @Test func `an error of the store shows the store's path to the operator and not to the API`() {
        let path = "/srv/push folder/pushmta.db"
        for cause: StoreError.Cause in [
            .diskFull, .busy, .unknown(.webhook, name: "w"), .keyMissing(path: "/srv/instance.key"),
            .cannotOpen(why: "no permission"), .credentialUnreadable(app: "ios"),
        ] {
            let error = OperationError(StoreError(cause, path: path))
            #expect(error.lines[0].contains("/srv/"))
            #expect(!error.apiLines[0].contains("/srv") && !error.apiLines[0].contains("  "))
        }
    }
}
