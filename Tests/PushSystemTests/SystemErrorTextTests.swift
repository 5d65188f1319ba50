import Glibc
import PushModel
import PushSystem
import Testing

@Suite struct SystemErrorTextTests {
    @Test func `an error is told in the system's words`() {
        #expect(SystemErrorText.of(ENOENT) == "No such file or directory")
        // An error number that no system has is reported, too.
        #expect(SystemErrorText.of(99_999).contains("99999"))
        #expect(SystemErrorText.of(-1).contains("-1"))
    }

    @Test(arguments: [EMFILE, ENFILE]) func `who lacks descriptors is told what to raise`(errorNumber: Int32)
    {
        #expect(SystemErrorText.isShortage(errorNumber))
        #expect(SystemErrorText.of(errorNumber).hasSuffix(": \(OpenFileLimit.advice)"))
        #expect(!SystemErrorText.isShortage(ENOENT))
    }
}
