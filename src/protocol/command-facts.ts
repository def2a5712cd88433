/** What a command is, for somebody who allows kinds of commands and no single ones. What cannot be told counts as the worse. */
export interface CommandFacts {
  /** Every part of it only reads and prints, inside the workspace. */
  isReadOnly: boolean;
  /** False where nobody can say before it runs which programs it starts. */
  isReadable: boolean;
  /** It names a program that removes files. */
  deletes: boolean;
  /** It throws work away, or changes the machine. */
  destroys: boolean;
  /** It overwrites what others have of a repository. */
  forcePushes: boolean;
  usesNetwork: boolean;
  /** It touches files outside the workspace. */
  leavesWorkspace: boolean;
  /** It works with the person's own keys or services, which the sandbox keeps from commands. */
  leavesSandbox: boolean;
}
