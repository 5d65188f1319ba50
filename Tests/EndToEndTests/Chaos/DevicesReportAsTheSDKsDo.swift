import Foundation
import Testing
import pushload

/// Tests the assumptions of the fleet scenario: forms and reports are written as Adobe's SDKs write them, and
/// a device's behaviour is repeatable.
@Suite struct ADeviceSaysWhatTheSDKsSay {
    private static let vectors = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../PushWireTests/Vectors").standardized

    private struct Parameters: Decodable {
        struct Parameter: Decodable {
            var name: String
            var type: String
            var value: Value?
        }
        /// A value in the form in which the SDK's own types print it.
        enum Value: Decodable {
            case text(String)

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let text = try? container.decode(String.self) {
                    self = .text(text)
                } else if let truth = try? container.decode(Bool.self) {
                    self = .text("\(truth)")
                } else {
                    self = .text("\(try container.decode(Int.self))")
                }
            }
        }
        struct Expected: Decodable { var encoded: String }
        var id: String
        var input: [Parameter]?
        var expected: Expected
    }

    @Test(arguments: [
        "ios-three-types", "ios-escapes", "ios-empty", "android-one", "android-escapes-and-line-breaks",
    ])
    func `parameters are encoded as the SDK encodes them`(id: String) throws {
        let file = Self.vectors.appending(path: "sdk-additional-params.json")
        // Other vectors have values that no simulated device has.
        let all = try #require(JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [[String: Any]])
        let vector = try #require(all.first { $0["id"] as? String == id })
        let given = try JSONDecoder().decode(
            Parameters.self, from: JSONSerialization.data(withJSONObject: vector))
        var form = DeviceForm(isAndroid: id.hasPrefix("android"), token: "t", integrationKey: "k")
        form.parameters = (given.input ?? []).compactMap { parameter in
            guard case .text(let value)? = parameter.value else { return nil }
            return (parameter.name, value)
        }
        #expect(form.body.hasSuffix("&additionalParams=\(given.expected.encoded)"))
    }

    @Test func `an Android registration matches the SDK's byte for byte`() throws {
        struct Vector: Decodable {
            struct Expected: Decodable {
                var body: String?
                var url: String?
            }
            var id: String
            var expected: Expected
        }
        let file = Self.vectors.appending(path: "sdk-registration.json")
        let all = try JSONDecoder().decode([Vector].self, from: Data(contentsOf: file))
        let expected = try #require(all.first { $0.id == "android-basic" }).expected
        var form = DeviceForm(isAndroid: true, token: "testToken", integrationKey: "testIntegrationKey")
        form.userKey = "testUser"
        (form.imei, form.name, form.model) = ("12345", "mockDevice", "mockDeviceName")
        (form.brand, form.manufacturer) = ("mockDeviceBrand", "mockDeviceManufacturer")
        (form.osName, form.osVersion, form.language) = ("android", "mockOSName mockOSVersion", "mocklocale")
        form.parameters = [("key", "value")]
        #expect(form.body == expected.body)
        #expect(expected.url?.hasSuffix(form.path) == true)
    }

    @Test func `ids are reported in the notation of each SDK`() {
        #expect(DeviceForm.reported("55336", isAndroid: false) == "d828")
        #expect(DeviceForm.reported("5", isAndroid: false) == "05")
        #expect(DeviceForm.reported("5", isAndroid: true) == "5")
        let uuid = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
        #expect(DeviceForm.reported(uuid, isAndroid: true) == uuid)
    }

    @Test func `each device always behaves in the same way, and the devices together show every behaviour`() {
        let devices = (0..<2_000).map { FleetDevice($0, seed: 7) }
        for device in devices {
            let again = FleetDevice(device.index, seed: 7)
            #expect(again.registrations == device.registrations)
            for chapter in FleetDevice.DeliveryRun.allCases {
                #expect(again.reports(chapter) == device.reports(chapter))
            }
        }
        #expect(Set(devices.flatMap(\.registrations).map(\.token)).count > 2_000)
        #expect(Set(devices.map(\.token)).count == 2_000)
        let reports = devices.map { $0.reports(.delivery) }
        #expect(
            reports.contains([]) && reports.contains([.clicked]) && reports.contains([.received, .received]))
        for forgery in FleetDevice.ForgedReport.allCases {
            #expect(reports.contains { $0.contains(.forged(forgery)) })
        }
    }

    @Test func `an old iOS token is a separate subscription, but an old Android token is not`() throws {
        let devices = (0..<2_000).map { FleetDevice($0, seed: 7) }
        let left = devices.filter { $0.registrations[0].token != $0.token }
        #expect(left.contains { $0.isAndroid })
        for device in devices {
            #expect(
                device.subscriptions.count
                    == (left.contains { $0.index == device.index } && !device.isAndroid ? 2 : 1))
            #expect(device.subscriptions.last == device.registrations.last)
            #expect(!device.token.hasPrefix(FleetDevice.leftPrefix))
        }
    }

    @Test func `parsing an export yields the data that was written`() {
        let text = "token,userKey,city\na1,\"Søn & \"\"Co\"\", 7\",\"x\ny\"\n\"\",,\"\"\"\"\n"
        #expect(
            CommaSeparated.rows(of: Array(text.utf8)) == [
                ["token", "userKey", "city"], ["a1", "Søn & \"Co\", 7", "x\ny"], ["", "", "\""],
            ])
    }
}
