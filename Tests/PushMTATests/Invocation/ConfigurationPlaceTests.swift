import Testing
import pushmta

struct ConfigurationPlaceTests {
    private static let installed = "/etc/pushmta/serverConf.xml"

    @Test(arguments: [
        (nil, [], "serverConf.xml"),
        (nil, [installed], installed),
        (nil, ["serverConf.xml"], "serverConf.xml"),
        (nil, ["serverConf.xml", installed], "serverConf.xml"),
        ("/srv/a.xml", ["serverConf.xml", installed], "/srv/a.xml"),
        ("", [installed], installed),
    ])
    func `the environment takes precedence over the working folder, and the folder over the installed file`(
        variable: String?, present: [String], expected: String
    ) {
        #expect(ConfigurationPlace.path(variable: variable, exists: present.contains) == expected)
    }
}
