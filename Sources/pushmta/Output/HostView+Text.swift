internal import PushModel
internal import PushOperations

extension HostView {
    /// As `host list` and `status` show them.
    static func table(_ hosts: [HostView]) -> TextTable {
        var table = TextTable(
            ["NAME", "STATE", "SILENT", "PARTS", "GENERATION", "SINCE", "RELEASE", "ID"],
            numeric: ["SILENT", "PARTS", "GENERATION"])
        for host in hosts {
            table.append([
                host.name.printable(atMost: 100) + (host.isThis ? " *" : ""), host.state,
                "\(host.silentSeconds)", "\(host.parts)", "\(host.generation)", host.since.utcText,
                host.release.printable(atMost: 100), host.id.printable(atMost: 64),
            ])
        }
        return table
    }
}
