import PushModel
import PushSystem
import Testing

struct SystemZonesTests {
    @Test func `UTC is always known, and this machine's time zone has a known name`() {
        #expect(SystemZones.zone(named: "UTC")?.offset(at: WallTime(secondsSince1970: 1_795_262_400)) == 0)
        #expect(SystemZones.zone(named: SystemZones.localName()) != nil)
    }

    @Test(.enabled(if: SystemZones.zone(named: "Europe/Paris") != nil))
    func `time zones come from the machine's database`() {
        let offsets = [1_784_000_000, 1_795_262_400].map {
            SystemZones.zone(named: "Europe/Paris")?.offset(at: WallTime(secondsSince1970: $0))
        }
        #expect(offsets == [7_200, 3_600])
    }

    @Test(arguments: [
        "", "Nowhere/Atall", "/etc/passwd", "../../../etc/passwd", "Europe", "Europe/Paris\0",
        "Europe/Pa ris",
        "tzdata.zi", "Ëurope", String(repeating: "A", count: 100),
    ])
    func `an invalid name yields no time zone`(name: String) {
        #expect(SystemZones.zone(named: name) == nil)
    }
}
