package import PushModel

/// How texts, numbers and times are presented to the reader of the page that is being rendered. The console
/// sets the value for each request.
package struct Presentation: Sendable {
    @TaskLocal package static var current = Presentation()

    package var language = Language.english
    package var zone = ZoneRules.utc
    package var zoneName = "UTC"
    package var now = WallMoment(millisecondsSince1970: 0)

    package init() {}
    package init(language: Language, zone: ZoneRules, zoneName: String, now: WallMoment) {
        (self.language, self.zone, self.zoneName, self.now) = (language, zone, zoneName, now)
    }
}
