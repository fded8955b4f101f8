import CommandLineTool

Documentation.main()
